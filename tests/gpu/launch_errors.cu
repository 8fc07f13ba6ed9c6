// What the CUDA runtime and the driver say to launches that break a limit, as CSV.
// nvcc -arch=native -o launch_errors launch_errors.cu -lcuda && ./launch_errors

#include <cstdio>
#include <cuda.h>

__global__ void small(volatile float *data) { data[threadIdx.x] = 1; }

__global__ void with_255_registers(volatile float *data)
{
    float values[250];
    #pragma unroll
    for (int i = 0; i < 250; ++i) values[i] = data[i];
    #pragma unroll
    for (int i = 0; i < 250; ++i) data[i] = values[i];
}

static float *memory;

static void attempt(const char *what, void (*kernel)(volatile float *), dim3 grid, dim3 block, int dynamic_smem)
{
    kernel<<<grid, block, dynamic_smem>>>(memory);
    cudaError_t said = cudaGetLastError();
    cudaDeviceSynchronize();
    cudaGetLastError();
    cudaFunction_t function;
    cudaGetFuncBySymbol(&function, (const void *)kernel);
    void *arguments[] = {&memory};
    CUresult driver = cuLaunchKernel((CUfunction)function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                     dynamic_smem, nullptr, arguments, nullptr);
    cudaDeviceSynchronize();
    cudaGetLastError();
    const char *name, *text;
    cuGetErrorName(driver, &name);
    cuGetErrorString(driver, &text);
    printf("%s,%s,%s,%s,%s\n", what, cudaGetErrorName(said), cudaGetErrorString(said), name, text);
}

int main()
{
    cudaMalloc(&memory, 1 << 20);
    int most;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    printf("launch,runtime_code,runtime_text,driver_code,driver_text\n");
    attempt("legal", small, 1, 32, 0);
    attempt("1025 threads", small, 1, 1025, 0);
    attempt("z of 65", small, 1, dim3(1, 1, 65), 0);
    attempt("1024 threads of 255 registers", with_255_registers, 1, 1024, 0);
    attempt("49153 bytes of dynamic shared memory without opt-in", small, 1, 32, 49153);
    attempt("dynamic shared memory above the opt-in maximum without opt-in", small, 1, 32, most + 1);
    cudaError_t refused = cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1);
    printf("opt-in above the maximum,%s,%s,,\n", cudaGetErrorName(refused), cudaGetErrorString(refused));
    cudaGetLastError();
    cudaFuncSetAttribute(small, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    attempt("all of the opt-in maximum", small, 1, 32, most);
    attempt("dynamic shared memory above the opt-in maximum", small, 1, 32, most + 1);
    attempt("grid of 65536 along y", small, dim3(1, 65536), 32, 0);
    return 0;
}
