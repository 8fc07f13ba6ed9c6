// Throughput by occupancy: prints one CSV row per kernel, block size and number of resident blocks.
//
//     nvcc -O3 -std=c++20 -arch=native benchmarks/throughput.cu -o throughput && ./throughput >
//     throughput.csv
//
// For copies, reads and multiply-adds, dynamic shared memory alone sets the number of resident blocks, the
// runtime confirms it, and the grid is one full wave. Each time is the best of 7.
// docs/_static/h200_throughput.csv has the rows of an H200.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                 \
  do {                                                                              \
    cudaError_t error = (call);                                                     \
    if (error != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

// Reads and writes ILP values before it waits for the next ones.
template <class T, int ILP>
__global__ void copyk(const T* __restrict__ a, T* __restrict__ b, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x * ILP + threadIdx.x, step = (size_t)gridDim.x * blockDim.x * ILP;
  for (; i < n; i += step) {
    T v[ILP];
#pragma unroll
    for (int k = 0; k < ILP; k++)
      v[k] = a[i + k * (size_t)blockDim.x];
#pragma unroll
    for (int k = 0; k < ILP; k++)
      b[i + k * (size_t)blockDim.x] = v[k];
  }
}

// Random indices for gather.
__global__ void fillk(unsigned* a, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned x = (unsigned)i * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    a[i] = x;
  }
}

// ILP independent chains of random 4-byte reads.
template <int ILP>
__global__ void gatherk(const unsigned* __restrict__ a, unsigned* __restrict__ o, unsigned mask, int iters) {
  unsigned s[ILP];
  for (int k = 0; k < ILP; k++)
    s[k] = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + k * 40503u;
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int k = 0; k < ILP; k++)
      s[k] = a[s[k] & mask] + it;
  }
  unsigned r = 0;
  for (int k = 0; k < ILP; k++)
    r ^= s[k];
  if (r == 0xdeadbeef) o[0] = r;
}

// ILP independent chains of fused multiply-adds.
template <int ILP>
__global__ void fmak(float* o, int iters, float x) {
  float v[ILP];
  for (int k = 0; k < ILP; k++)
    v[k] = threadIdx.x + k;
  for (int it = 0; it < iters; it++) {
#pragma unroll
    for (int u = 0; u < 16; u++)
#pragma unroll
      for (int k = 0; k < ILP; k++)
        v[k] = fmaf(v[k], x, 0.5f);
  }
  float r = 0;
  for (int k = 0; k < ILP; k++)
    r += v[k];
  if (r == 12345.f) o[0] = r;
}

// C = A * B, square, row-major; a block of 16x16 threads computes a tile of (16 * T) x (16 * T).
template <int T>
__global__ void __launch_bounds__(256) gemmk(const float* A, const float* B, float* C, int N) {
  constexpr int S = 16 * T, K = 16;
  __shared__ float a[K][S], b[K][S];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float c[T][T] = {};
  int row0 = blockIdx.y * S, col0 = blockIdx.x * S;
  for (int k0 = 0; k0 < N; k0 += K) {
    for (int e = threadIdx.x; e < K * S; e += 256) {
      int k = e % K, m = e / K;
      a[k][m] = A[(size_t)(row0 + m) * N + k0 + k];
      int k2 = e / S, n = e % S;
      b[k2][n] = B[(size_t)(k0 + k2) * N + col0 + n];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < K; k++) {
      float x[T], y[T];
#pragma unroll
      for (int i = 0; i < T; i++) {
        x[i] = a[k][ty + 16 * i];
        y[i] = b[k][tx + 16 * i];
      }
#pragma unroll
      for (int i = 0; i < T; i++)
#pragma unroll
        for (int j = 0; j < T; j++)
          c[i][j] = fmaf(x[i], y[j], c[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < T; i++)
    for (int j = 0; j < T; j++)
      C[(size_t)(row0 + ty + 16 * i) * N + col0 + tx + 16 * j] = c[i][j];
}

// 64 live values: a register cap below its needs makes it spill.
template <int MINB>
__global__ void __launch_bounds__(256, MINB)
    heavyk(const float* __restrict__ a, float* __restrict__ o, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
  for (; i < n / 64; i += step) {
    float v[64];
#pragma unroll
    for (int k = 0; k < 64; k++)
      v[k] = a[i + k * (n / 64)];
#pragma unroll 1
    for (int r = 0; r < 8; r++) {
#pragma unroll
      for (int k = 0; k < 64; k++)
        v[k] = fmaf(v[k], v[(k + 17) & 63], v[(k + 31) & 63]);
    }
    float s = 0;
#pragma unroll
    for (int k = 0; k < 64; k++)
      s += v[k] * k;
    o[i] = s;
  }
}

static cudaDeviceProp device;

template <class F>
float best_milliseconds(F launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  launch();
  CHECK(cudaDeviceSynchronize());
  float best = 1e30f;
  for (int i = 0; i < 7; i++) {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    best = std::min(best, milliseconds);
  }
  CHECK(cudaGetLastError());
  return best;
}

template <class K>
int resident_blocks(K kernel, int threads, int dynamic) {
  int blocks;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic));
  return blocks;
}

template <class K>
void print_row(const char* name, const char* variant, K kernel, int threads, int dynamic, double amount,
               const char* unit, float milliseconds) {
  cudaFuncAttributes at;
  CHECK(cudaFuncGetAttributes(&at, (const void*)kernel));
  int blocks = resident_blocks(kernel, threads, dynamic);
  printf("%s,%s,%d,%d,%zu,%d,%zu,%d,%.4f,%.4f,%.1f,%s\n", name, variant, threads, at.numRegs,
         at.sharedSizeBytes, dynamic, at.localSizeBytes, blocks,
         1.0 * blocks * threads / device.maxThreadsPerMultiProcessor, milliseconds,
         amount / milliseconds * 1e3, unit);
  fflush(stdout);
}

// One row for each number of blocks that dynamic shared memory can set. `amount` and `launch` get the grid.
template <class K, class A, class L>
void sweep(const char* name, const char* variant, K kernel, int threads, const char* unit, A amount,
           L launch) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             device.sharedMemPerBlockOptin));
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  int most = resident_blocks(kernel, threads, 0);
  for (int blocks = 1; blocks <= most; blocks++) {
    int share = (int)device.sharedMemPerMultiprocessor / blocks - 1024 - 127;
    int dynamic = std::min((int)device.sharedMemPerBlockOptin, share) / 128 * 128;
    if (dynamic < 0 || resident_blocks(kernel, threads, dynamic) != blocks) continue;
    int grid = blocks * device.multiProcessorCount;
    float milliseconds = best_milliseconds([&] { launch(grid, dynamic); });
    print_row(name, variant, kernel, threads, dynamic, amount(grid), unit, milliseconds);
  }
}

static const size_t bytes = (size_t)1 << 31;
static char *a, *b;

template <class T, int ILP>
void copy(const char* variant) {
  sweep(
      "copy", variant, copyk<T, ILP>, 256, "GB/s", [](int) { return 2.0 * bytes / 1e9; },
      [](int grid, int dynamic) {
        copyk<T, ILP><<<grid, 256, dynamic>>>((const T*)a, (T*)b, bytes / sizeof(T));
      });
}

template <int ILP>
void gather(const char* variant) {
  const int iterations = 256;
  sweep(
      "gather", variant, gatherk<ILP>, 256, "billion loads/s",
      [](int grid) { return (double)grid * 256 * iterations * ILP / 1e9; },
      [](int grid, int dynamic) {
        gatherk<ILP>
            <<<grid, 256, dynamic>>>((const unsigned*)a, (unsigned*)b, (unsigned)(bytes / 4 - 1), iterations);
      });
}

template <int ILP>
void fma_chains(const char* variant) {
  const int iterations = 4096;
  sweep(
      "fma", variant, fmak<ILP>, 128, "TFLOP/s",
      [](int grid) { return (double)grid * 128 * iterations * 16 * ILP * 2 / 1e12; },
      [](int grid, int dynamic) { fmak<ILP><<<grid, 128, dynamic>>>((float*)b, iterations, 1.0001f); });
}

template <int T>
void matmul(const char* variant) {
  const int N = 8192;
  dim3 grid(N / (16 * T), N / (16 * T));
  CHECK(cudaFuncSetAttribute(gemmk<T>, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  float milliseconds = best_milliseconds(
      [&] { gemmk<T><<<grid, 256>>>((const float*)a, (const float*)b, (float*)b + (size_t)N * N, N); });
  print_row("matmul", variant, gemmk<T>, 256, 0, 2.0 * N * N * N / 1e12, "TFLOP/s", milliseconds);
}

template <int MINB>
void live_values(const char* variant) {
  int grid = resident_blocks(heavyk<MINB>, 256, 0) * device.multiProcessorCount;
  float milliseconds =
      best_milliseconds([&] { heavyk<MINB><<<grid, 256>>>((const float*)a, (float*)b, bytes / 4); });
  print_row("64 live values", variant, heavyk<MINB>, 256, 0, bytes / 1e9, "GB/s", milliseconds);
}

int main() {
  CHECK(cudaGetDeviceProperties(&device, 0));
  fprintf(stderr, "%s, %d SMs\n", device.name, device.multiProcessorCount);
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMemset(a, 1, bytes));
  CHECK(cudaMemset(b, 0, bytes));
  printf("kernel,variant,threads,registers,static_shared_memory,dynamic_shared_memory,local_memory,");
  printf("active_blocks,occupancy,milliseconds,rate,unit\n");
  copy<float, 1>("4 bytes x 1");
  copy<float, 2>("4 bytes x 2");
  copy<float, 4>("4 bytes x 4");
  copy<float, 8>("4 bytes x 8");
  copy<float4, 1>("16 bytes x 1");
  copy<float4, 2>("16 bytes x 2");
  copy<float4, 4>("16 bytes x 4");
  fillk<<<device.multiProcessorCount * 8, 256>>>((unsigned*)a, bytes / 4);
  CHECK(cudaDeviceSynchronize());
  gather<1>("1 load in flight");
  gather<2>("2 loads in flight");
  gather<4>("4 loads in flight");
  gather<8>("8 loads in flight");
  fma_chains<1>("1 chain");
  fma_chains<2>("2 chains");
  fma_chains<4>("4 chains");
  fma_chains<8>("8 chains");
  matmul<1>("1 x 1 results per thread");
  matmul<2>("2 x 2 results per thread");
  matmul<4>("4 x 4 results per thread");
  matmul<8>("8 x 8 results per thread");
  live_values<1>("launch bounds 256 1");
  live_values<2>("launch bounds 256 2");
  live_values<3>("launch bounds 256 3");
  live_values<4>("launch bounds 256 4");
  live_values<5>("launch bounds 256 5");
  live_values<6>("launch bounds 256 6");
  live_values<8>("launch bounds 256 8");
}
