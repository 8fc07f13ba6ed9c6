// NVIDIA's cuda_occupancy.h as functions over arrays, for ctypes.
//
// The structs are read and written as NumPy structured arrays, so their fields, in this order, are also
// listed in header.py; record_sizes() lets it check that both agree.

#include <climits>
#include <cstddef>
#include <cstdint>

#include <cuda_occupancy.h>

namespace {

struct Device {
    int32_t major;
    int32_t minor;
    int32_t max_threads_per_block;
    int32_t max_threads_per_multiprocessor;
    int32_t max_registers_per_block;
    int32_t max_registers_per_multiprocessor;
    int32_t warp_size;
    int32_t max_shared_memory_per_block;
    int32_t max_shared_memory_per_multiprocessor;
    int32_t max_shared_memory_per_block_optin;
    int32_t reserved_shared_memory_per_block;
    int32_t multiprocessors;
};

struct Query {
    int32_t threads;
    int32_t registers;
    int32_t static_smem;
    int32_t dynamic_smem;
    int32_t max_dynamic_smem;
    int32_t barriers;
    int32_t virtual_resources;
    int32_t carveout_percent;
    int32_t cache_config;
    int32_t is_cached;
    int32_t is_opted_in;
};

struct Answer {
    int32_t error;
    int32_t active_blocks;
    int32_t limiting_factors;
    int32_t block_limit_warps;
    int32_t block_limit_blocks;
    int32_t block_limit_registers;
    int32_t block_limit_shared_memory;
    int32_t block_limit_barriers;
    int32_t block_limit_virtual_resources;
    int32_t allocated_registers;
    int32_t allocated_shared_memory;
};

struct LaunchShape {
    int32_t error;
    int32_t min_grid_size;
    int32_t block_size;
};

struct DynamicSharedMemory {
    int32_t error;
    int32_t bytes;
};

cudaOccDeviceProp properties_of(const Device &device)
{
    cudaOccDeviceProp properties;
    properties.computeMajor = device.major;
    properties.computeMinor = device.minor;
    properties.maxThreadsPerBlock = device.max_threads_per_block;
    properties.maxThreadsPerMultiprocessor = device.max_threads_per_multiprocessor;
    properties.regsPerBlock = device.max_registers_per_block;
    properties.regsPerMultiprocessor = device.max_registers_per_multiprocessor;
    properties.warpSize = device.warp_size;
    properties.sharedMemPerBlock = static_cast<size_t>(device.max_shared_memory_per_block);
    properties.sharedMemPerMultiprocessor = static_cast<size_t>(device.max_shared_memory_per_multiprocessor);
    properties.sharedMemPerBlockOptin = static_cast<size_t>(device.max_shared_memory_per_block_optin);
    properties.reservedSharedMemPerBlock = static_cast<size_t>(device.reserved_shared_memory_per_block);
    properties.numSms = device.multiprocessors;
    return properties;
}

cudaOccFuncAttributes attributes_of(const Query &query, int max_threads)
{
    cudaOccFuncAttributes attributes;
    attributes.maxThreadsPerBlock = max_threads;
    attributes.numRegs = query.registers;
    attributes.sharedSizeBytes = static_cast<size_t>(query.static_smem);
    attributes.partitionedGCConfig = query.is_cached ? PARTITIONED_GC_ON : PARTITIONED_GC_OFF;
    attributes.shmemLimitConfig = query.is_opted_in ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    attributes.maxDynamicSharedSizeBytes = static_cast<size_t>(query.max_dynamic_smem);
    attributes.numBlockBarriers = query.barriers;
    attributes.virtualResourceCount = query.virtual_resources;
    return attributes;
}

cudaOccDeviceState state_of(const Query &query)
{
    cudaOccDeviceState state;
    state.cacheConfig = static_cast<cudaOccCacheConfig>(query.cache_config);
    state.carveoutConfig = query.carveout_percent;
    return state;
}

} // namespace

extern "C" {

int record_sizes(int64_t *sizes)
{
    const int64_t all[] = {sizeof(Device), sizeof(Query), sizeof(Answer), sizeof(LaunchShape),
                           sizeof(DynamicSharedMemory)};
    const int count = sizeof(all) / sizeof(all[0]);
    for (int i = 0; i < count; ++i) {
        sizes[i] = all[i];
    }
    return count;
}

void max_active_blocks(const Device *device, const Query *queries, Answer *answers, int64_t count)
{
    const cudaOccDeviceProp properties = properties_of(*device);
    for (int64_t i = 0; i < count; ++i) {
        const Query &query = queries[i];
        const cudaOccFuncAttributes attributes = attributes_of(query, INT_MAX);
        const cudaOccDeviceState state = state_of(query);
        cudaOccResult result = {};
        Answer &answer = answers[i];
        answer.error = cudaOccMaxActiveBlocksPerMultiprocessor(
            &result, &properties, &attributes, &state, query.threads, static_cast<size_t>(query.dynamic_smem));
        answer.active_blocks = result.activeBlocksPerMultiprocessor;
        answer.limiting_factors = static_cast<int32_t>(result.limitingFactors);
        answer.block_limit_warps = result.blockLimitWarps;
        answer.block_limit_blocks = result.blockLimitBlocks;
        answer.block_limit_registers = result.blockLimitRegs;
        answer.block_limit_shared_memory = result.blockLimitSharedMem;
        answer.block_limit_barriers = result.blockLimitBarriers;
        answer.block_limit_virtual_resources = result.blockLimitVirtual;
        answer.allocated_registers = result.allocatedRegistersPerBlock;
        answer.allocated_shared_memory = static_cast<int32_t>(result.allocatedSharedMemPerBlock);
    }
}

// A query's threads are the largest block size that the kernel works with.
void max_potential_block_size(const Device *device, const Query *queries, LaunchShape *answers, int64_t count)
{
    const cudaOccDeviceProp properties = properties_of(*device);
    for (int64_t i = 0; i < count; ++i) {
        const Query &query = queries[i];
        const cudaOccFuncAttributes attributes = attributes_of(query, query.threads);
        const cudaOccDeviceState state = state_of(query);
        answers[i].error = cudaOccMaxPotentialOccupancyBlockSize(
            &answers[i].min_grid_size, &answers[i].block_size, &properties, &attributes, &state,
            static_cast<size_t>(query.dynamic_smem));
    }
}

// The dynamic shared memory comes from a table with one entry for each block size from 0 up; a query's
// own is ignored.
void max_potential_block_size_variable_smem(
    const Device *device, const Query *queries, const int64_t *dynamic_smem, LaunchShape *answers, int64_t count)
{
    const cudaOccDeviceProp properties = properties_of(*device);
    for (int64_t i = 0; i < count; ++i) {
        const Query &query = queries[i];
        const cudaOccFuncAttributes attributes = attributes_of(query, query.threads);
        const cudaOccDeviceState state = state_of(query);
        answers[i].error = cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
            &answers[i].min_grid_size, &answers[i].block_size, &properties, &attributes, &state,
            [dynamic_smem](int threads) { return static_cast<size_t>(dynamic_smem[threads]); });
    }
}

void available_dynamic_smem(
    const Device *device, const Query *queries, const int32_t *blocks, DynamicSharedMemory *answers, int64_t count)
{
    const cudaOccDeviceProp properties = properties_of(*device);
    for (int64_t i = 0; i < count; ++i) {
        const Query &query = queries[i];
        const cudaOccFuncAttributes attributes = attributes_of(query, INT_MAX);
        const cudaOccDeviceState state = state_of(query);
        size_t bytes = 0;
        answers[i].error = cudaOccAvailableDynamicSMemPerBlock(
            &bytes, &properties, &attributes, &state, blocks[i], query.threads);
        answers[i].bytes = static_cast<int32_t>(bytes);
    }
}

} // extern "C"
