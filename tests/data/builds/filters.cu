// One library before and after a change, -DAFTER. Every kernel stands for one line of an expected diff.
#define SUM(i) v[i] * v[(i + 1) % N]

namespace img {

// The same in both builds.
__global__ void scale(float* p, float by) { p[blockIdx.x * blockDim.x + threadIdx.x] *= by; }

// A larger tile: more shared memory.
#ifdef AFTER
constexpr int TILE = 96;
#else
constexpr int TILE = 32;
#endif
__global__ void __launch_bounds__(256) blur(float* p) {
  __shared__ float tile[TILE][TILE];
  for (int i = threadIdx.x; i < TILE * TILE; i += 256) tile[i / TILE][i % TILE] = p[i];
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x % TILE][TILE - 1 - threadIdx.x % TILE];
}

// A tighter launch bound: fewer registers, more blocks, but spills.
#ifdef AFTER
__global__ void __launch_bounds__(256, 6) warp_image(float* p, int s) {
#else
__global__ void __launch_bounds__(256, 2) warp_image(float* p, int s) {
#endif
  constexpr int N = 64;
  float v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[threadIdx.x * s + i * 7];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; i++) p[threadIdx.x * s + i * 11] = SUM(i);
}

// One more template argument: another mangled name.
#ifdef AFTER
template <int N, bool Fast>
#else
template <int N>
#endif
__global__ void __launch_bounds__(128) histogram(float* p, int s) {
  float v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[threadIdx.x * s + i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; i++) p[threadIdx.x * s + i * 3] = SUM(i);
}
#ifdef AFTER
template __global__ void histogram<16, true>(float*, int);
template __global__ void histogram<64, true>(float*, int);
#else
template __global__ void histogram<16>(float*, int);
template __global__ void histogram<64>(float*, int);
#endif

// In one of the builds only.
#ifdef AFTER
__global__ void sharpen(float* p) { p[threadIdx.x] += 1; }
#else
__global__ void emboss(float* p) { p[threadIdx.x] -= 1; }
#endif

// In an unnamed namespace: nvcc puts hashes of the file's path into the name.
namespace {
__global__ void clear(float* p) { p[threadIdx.x] = 0; }
}
void launch(float* p) { clear<<<1, 32>>>(p); }

}  // namespace img
