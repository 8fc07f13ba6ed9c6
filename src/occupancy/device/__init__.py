"""The GPUs of this machine: what they offer, and the driver's own answers to questions of occupancy.

Nothing here is needed without a GPU. The packages, cuda-bindings and nvidia-ml-py, are those of the extra
``occupancy[device]``, and they are imported when a GPU is asked for. Of the package it uses
`values` and `tables`.
"""

from __future__ import annotations

from .live import Device, read_device, read_devices

__all__ = ["Device", "read_device", "read_devices"]
