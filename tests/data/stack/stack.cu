// Kernels with stacks of every kind. The files beside it are of the toolkit, the architecture and the options that
// their names say: nvcc -arch=sm_ARCH -cubin -Xptxas=-v -maxrregcount=24 [-rdc=true] stack.cu

template <int N> __global__ void spilled(float* p, int s) {
  float v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[threadIdx.x * s + i * 7];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; i++) p[threadIdx.x * s + i * 11] = v[i] * v[(i + 1) % N];
}
template __global__ void spilled<24>(float*, int);

__global__ void __launch_bounds__(512, 4) spilled_in_a_loop(double* p, int n) {
  double v[13];
#pragma unroll
  for (int i = 0; i < 13; i++) v[i] = p[i];
  #pragma unroll 1
  for (int k = 0; k < n; k++) {
    double x = p[k + threadIdx.x];
#pragma unroll
    for (int i = 0; i < 13; i++) v[i] = v[i] * x + v[(i + 1) % 13];
  }
#pragma unroll
  for (int i = 0; i < 13; i++) p[i] = v[i];
}

__global__ void indexed(float* p, const int* at, int n) {
  float v[6];
#pragma unroll
  for (int i = 0; i < 6; i++) v[i] = p[i + threadIdx.x];
  #pragma unroll 1
  for (int k = 0; k < n; k++) {
    v[at[k]] += p[k];
    v[3] *= v[at[k + 1]];
  }
#pragma unroll
  for (int i = 0; i < 6; i++) p[i] = v[i] * v[(i + 1) % 6];
}

__global__ void indexed_and_spilled(float* p, const int* at, int n) {
  float v[24], a[4];
#pragma unroll
  for (int i = 0; i < 4; i++) a[i] = p[i];
#pragma unroll
  for (int i = 0; i < 24; i++) v[i] = p[threadIdx.x * n + i * 7];
  #pragma unroll 1
  for (int k = 0; k < n; k++) a[at[k]] += a[at[k + 1]] + v[0];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 24; i++) p[threadIdx.x * n + i * 11] = v[i] * v[(i + 1) % 24] + a[i % 4];
}

struct Several { float a, b; double c; int d[3]; };
__device__ __noinline__ void fill(Several* s, float x) {
  s->a = x; s->b = x + 1; s->c = x * 2; s->d[0] = x; s->d[1]++; s->d[2] = 3;
}
__global__ void by_address(float* p, int n) {
  Several s;
  s.a = p[0]; s.b = p[1]; s.c = p[2]; s.d[0] = s.d[1] = s.d[2] = n;
  
#pragma unroll 1
  for (int i = 0; i < n; i++) { s.a += p[i]; fill(&s, s.a * p[1]); s.b += s.a; }
  p[1] = s.a + s.b + s.c + s.d[1];
}

__device__ __noinline__ float callee(float x, int n) {
  float v[14], r = 0;
#pragma unroll
  for (int i = 0; i < 14; i++) v[i] = x * i + n;
  #pragma unroll 1
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int i = 0; i < 14; i++) v[i] = v[i] * v[(i + 7) % 14] + x;
#pragma unroll
  for (int i = 0; i < 14; i++) r += v[i];
  return r;
}
__global__ void calls(float* p, int n) {
  float a = p[0], b = p[1], c = p[2];
  a = callee(a, n); b = callee(b, n + 1) + a; c = callee(c, n) * b;
  p[threadIdx.x] = a + b + c;
}

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) * 3; }
__global__ void recursion(int* p) { p[0] = fib(p[1]); }

__global__ void not_kept_in_registers(float* p) {
  volatile float v[3];
  v[0] = p[0]; v[1] = p[1]; v[2] = p[2];
  p[3] = v[0] + v[1];
  v[1] = p[7];
  p[5] = v[1];
}
