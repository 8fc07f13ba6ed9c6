// Two kernels to practice on: nvcc -arch=sm_90 -Xptxas -v -c kernels.cu

// Add up the elements of a row, 256 threads per row.
extern "C" __global__ void __launch_bounds__(256, 8) row_sums(const float *in, float *out, int columns)
{
    __shared__ float partial[256];
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 256)
        sum += in[blockIdx.x * (size_t)columns + i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = partial[0];
}

// Evaluate a polynomial of degree 23 at 12 points per thread.
extern "C" __global__ void __launch_bounds__(256, 2) polynomial(const float *x, const float *c, float *y, int n)
{
    int first = (blockIdx.x * 256 + threadIdx.x) * 12;
    if (first + 12 > n)
        return;
    float k[24], v[12];
    for (int j = 0; j < 24; j++)
        k[j] = c[j];
    for (int i = 0; i < 12; i++)
        v[i] = x[first + i];
    for (int i = 0; i < 12; i++) {
        float sum = k[23];
        for (int j = 22; j >= 0; j--)
            sum = sum * v[i] + k[j];
        y[first + i] = sum;
    }
}
