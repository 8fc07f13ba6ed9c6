#include "kernels.h"
// Each kernel stands for one regression that -DAFTER injects.
#ifdef AFTER
#define OLD(...)
#define NEW(...) __VA_ARGS__
#else
#define OLD(...) __VA_ARGS__
#define NEW(...)
#endif

static __global__ void zero(float* p) { p[threadIdx.x] = 0; }

namespace img {
// Registers: many values are alive at once.
__global__ void registers(float* p, int s) {
  constexpr int N = OLD(8) NEW(40);
  float v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[threadIdx.x * s + i * 7];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; i++) p[threadIdx.x * s + i * 11] = v[i] * v[(i + 1) % N];
}
// Shared memory.
__global__ void shared_memory(float* p) {
  constexpr int N = OLD(1024) NEW(12288);
  __shared__ float tile[N];
  for (int i = threadIdx.x; i < N; i += blockDim.x) tile[i] = p[i];
  __syncthreads();
  p[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
// Spills, by a tighter launch bound.
__global__ void OLD(__launch_bounds__(256, 2)) NEW(__launch_bounds__(256, 8)) spills(float* p, int s) {
  constexpr int N = 48;
  float v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[threadIdx.x * s + i * 7];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; i++) p[threadIdx.x * s + i * 11] = v[i] * v[(i + 1) % N];
}
// Launch bounds lost: the compiler takes as many registers as it likes.
__global__ void OLD(__launch_bounds__(512, 2)) bounds(float* p, int s) {
  constexpr int N = 96;
  float v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[threadIdx.x * s + i * 7];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; i++) p[threadIdx.x * s + i * 11] = v[i] * v[(i + 1) % N];
}
// One barrier more.
__global__ void barriers(float* p) {
  asm volatile("bar.sync 0;");
  NEW(asm volatile("bar.sync 5;");)
  p[threadIdx.x] += 1;
}
// A stack: an array indexed by a variable.
__global__ void stack(float* p, int* q) {
  float v[OLD(16) NEW(64)];
  for (int i = 0; i < OLD(16) NEW(64); i++) v[q[i]] = p[i];
  p[threadIdx.x] = v[q[threadIdx.x]];
}
// One template argument more, and more instances.
template <int N OLD() NEW(, bool Fast)>
__global__ void histogram(float const* p, float* q) { q[threadIdx.x] = p[threadIdx.x] * N; }
OLD(template __global__ void histogram<16>(float const*, float*); template __global__ void histogram<64>(float const*, float*);)
NEW(template __global__ void histogram<8, true>(float const*, float*); template __global__ void histogram<16, true>(float const*, float*); template __global__ void histogram<64, true>(float const*, float*);)
// One kernel comes, another one goes.
OLD(__global__ void emboss(float* p) { p[threadIdx.x] -= 1; })
NEW(__global__ void sharpen(float* p) { p[threadIdx.x] = p[threadIdx.x] * 3 + 1; })
namespace { __global__ void clear(float* p) { p[threadIdx.x] = 0; } }
}  // namespace img
void a(float* p) { zero<<<1, 32>>>(p); img::clear<<<1, 32>>>(p); }
