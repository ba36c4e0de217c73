#!/usr/bin/env python3
"""Exit status 0: a process may follow the system calls of its child, as tests/cli/helper_kill_at.c does."""
import ctypes
import os
import signal
import sys

TRACEME, SYSCALL, KILL, SETOPTIONS, GET_SYSCALL_INFO = 0, 24, 8, 0x4200, 0x420E
TRACESYSGOOD = 1
libc = ctypes.CDLL(None)


def ptrace(request, process, address, data):
    return libc.ptrace(ctypes.c_long(request), ctypes.c_int(process), ctypes.c_void_p(address),
                       data if isinstance(data, ctypes.Array) else ctypes.c_void_p(data))


child = os.fork()
if child == 0:
    if ptrace(TRACEME, 0, 0, 0) != 0:
        os._exit(1)
    os.kill(os.getpid(), signal.SIGSTOP)
    os.getppid()
    os._exit(0)
_, status = os.waitpid(child, 0)
if not os.WIFSTOPPED(status):
    sys.exit("ptrace is not allowed")
info = ctypes.create_string_buffer(88)
works = (ptrace(SETOPTIONS, child, 0, TRACESYSGOOD) == 0 and ptrace(SYSCALL, child, 0, 0) == 0
         and os.WIFSTOPPED(os.waitpid(child, 0)[1])
         and ptrace(GET_SYSCALL_INFO, child, len(info), info) > 0)
os.kill(child, signal.SIGKILL)
sys.exit(0 if works else "ptrace does not show system calls")
