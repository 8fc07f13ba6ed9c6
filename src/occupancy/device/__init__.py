"""Local GPUs, and verification of limits and engine against their driver.

The packages cuda-bindings and nvidia-ml-py (extra ``occupancy[device]``) are imported when a GPU is read.
"""

from .live import Device, read_device, read_devices
from .verification import Check, Difference, Verification, verify

__all__ = ["Check", "Device", "Difference", "Verification", "read_device", "read_devices", "verify"]
