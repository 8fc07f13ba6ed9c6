// A second file.

extern "C" __global__ void third(int *a)
{
  a[blockIdx.x] += 1;
}
