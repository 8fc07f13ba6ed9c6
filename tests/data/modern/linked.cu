// Compiled with -rdc=true: the PTX is beside the relocatable code, not beside the linked code.
__device__ float twice(float value) { return 2 * value; }
__global__ void scale(float *data) { data[threadIdx.x] = twice(data[threadIdx.x]); }
