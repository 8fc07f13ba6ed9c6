#include "kernels.h"
// Of the same name as one in a.cu, and another kernel.
static __global__ void zero(float* p) { p[threadIdx.x] = p[threadIdx.x + 1] * 0.5f; }
namespace img {
// Spills into shared memory, which CUDA 13 does where it is told to.
__global__ void __launch_bounds__(128, 8) smem_spills(float* p, int s) {
#ifdef AFTER
  asm volatile(".pragma \"enable_smem_spilling\";");
#endif
  constexpr int N = 96;
  float v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[threadIdx.x * s + i * 7];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; i++) p[threadIdx.x * s + i * 11] = v[i] * v[(i + 1) % N];
}
// Only its namespace is another one.
}
#ifdef AFTER
namespace photo {
#else
namespace img {
#endif
__global__ void moved(float* p) { p[threadIdx.x] *= 5; }
}
void b(float* p) { zero<<<1, 32>>>(p); }
