"""What someone who reads the answer for a kernel should know of it."""

NOT_LINKED_NOTE = "Not linked yet: registers, shared memory and stack lack what its callees need."
SPLIT_NOTE = (
    "The registers are those of the launch, which the warpgroups divide among themselves (setmaxnreg), so "
    "that fewer are no advice; occupancy registers checks a split."
)
TENSOR_MEMORY_NOTE = (
    "It allocates tensor memory: one block per SM by cuda_occupancy.h. If it relinquishes its permit, the "
    "next block comes in (inferred)."
)
NO_ADVICE_NOTE = "The next step is left out, as there are very many different kernels; calc finds it."
ONE_WAVE_NOTE = (
    "No next step where all blocks of a launch are resident at once: there is no further block to fit."
)
GRID_NOTE = "PyTorch's profiler counts no more blocks than the grid has for each SM."
