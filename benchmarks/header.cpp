// NVIDIA's cuda_occupancy.h over arrays: cudaOccMaxActiveBlocksPerMultiprocessor in a plain loop.

#include <climits>
#include <cstddef>
#include <cstdint>

#include <cuda_occupancy.h>

extern "C" void max_active_blocks(const int32_t *device, const int32_t *threads, const int32_t *registers,
                                  const int32_t *static_smem, const int32_t *dynamic_smem, int64_t count,
                                  uint8_t *blocks)
{
    cudaOccDeviceProp properties;
    properties.computeMajor = device[0];
    properties.computeMinor = device[1];
    properties.maxThreadsPerBlock = device[2];
    properties.maxThreadsPerMultiprocessor = device[3];
    properties.regsPerBlock = device[4];
    properties.regsPerMultiprocessor = device[5];
    properties.warpSize = device[6];
    properties.sharedMemPerBlock = device[7];
    properties.sharedMemPerMultiprocessor = device[8];
    properties.sharedMemPerBlockOptin = device[9];
    properties.reservedSharedMemPerBlock = device[10];
    properties.numSms = 1;

    cudaOccFuncAttributes attributes;
    attributes.maxThreadsPerBlock = INT_MAX;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = properties.sharedMemPerBlockOptin;
    attributes.numBlockBarriers = 1;

    const cudaOccDeviceState state;
    for (int64_t i = 0; i < count; ++i) {
        attributes.numRegs = registers[i];
        attributes.sharedSizeBytes = static_smem[i];
        cudaOccResult result;
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state, threads[i],
                                                dynamic_smem[i]);
        blocks[i] = static_cast<uint8_t>(result.activeBlocksPerMultiprocessor);
    }
}
