// Kernels that need more registers than they may have, compiled with and without spilling into shared memory.
template <int LIVE> __device__ void work(const float* a, float* o, int n) {
  float r[LIVE];
#pragma unroll
  for (int i = 0; i < LIVE; ++i) r[i] = a[i * n + threadIdx.x];
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < LIVE; ++i) r[i] = r[i] * r[(i * 7 + 3) % LIVE] + k;
  float s = 0;
#pragma unroll
  for (int i = 0; i < LIVE; ++i) s += r[i];
  o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
#define SPILL asm volatile(".pragma \"enable_smem_spilling\";")
extern "C" __global__ void __maxnreg__(32) unbounded(const float* a, float* o, int n) { SPILL; work<36>(a, o, n); }
extern "C" __global__ void __launch_bounds__(256, 8) bounded(const float* a, float* o, int n) { SPILL; work<36>(a, o, n); }
extern "C" __global__ void __launch_bounds__(256, 8) local(const float* a, float* o, int n) { work<36>(a, o, n); }
extern "C" __global__ void __launch_bounds__(256, 8) own_too(const float* a, float* o, int n) {
  SPILL; __shared__ float t[256]; t[threadIdx.x] = a[threadIdx.x]; __syncthreads();
  work<36>(a, o, n); o[threadIdx.x] += t[threadIdx.x ^ 1];
}
