"""Cuts a process off from others of this machine, with no more privileges than a debugger.

It takes the processes' TCP sockets (pidfd_getfd, Linux 5.6) and attaches a filter to them that drops all that comes in
(SO_ATTACH_FILTER): like a pulled cable, it informs neither side. Later connections
have to be cut again.
"""

import ctypes
import errno
import os
import socket
import struct

PIDFD_GETFD = 438  # of all architectures
SO_ATTACH_FILTER = 26
# One instruction of classic BPF: return 0, accept no byte.
_DROP_ALL = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
_PROGRAM = struct.pack("HxxxxxxP", 1, ctypes.addressof(_DROP_ALL))
_libc = ctypes.CDLL(None, use_errno=True)


def cut(target, others):
    """Drops incoming data at all TCP sockets of process `target`, and at those of the others that lead to it.

    Errors: OSError where the system or the processes' owner does not permit it.
    """
    ends = set()
    for each in _tcp_sockets(target):
        with each:
            ends.add((_peer_port(each), each.getsockname()[1]))
            _deafen(each)
    for other in others:
        for each in _tcp_sockets(other):
            with each:
                if (each.getsockname()[1], _peer_port(each)) in ends:
                    _deafen(each)


def _deafen(each):
    each.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, _PROGRAM)


def _peer_port(each):
    try:
        return each.getpeername()[1]
    except OSError:
        return 0  # it listens, or is not connected


def _tcp_sockets(process):
    """Copies of its sockets, one after the other; the caller closes each."""
    try:
        numbers = os.listdir(f"/proc/{process}/fd")
        holder = os.pidfd_open(process)
    except OSError:
        return  # it has ended
    try:
        for number in numbers:
            copy = _copy(process, holder, int(number))
            if copy is not None:
                yield copy
    finally:
        os.close(holder)


def _copy(process, holder, number):
    """A socket object for the file of another process, where it is a TCP socket."""
    try:
        if not os.readlink(f"/proc/{process}/fd/{number}").startswith("socket:"):
            return None
    except OSError:
        return None  # it is closed by now
    descriptor = _libc.syscall(PIDFD_GETFD, holder, number, 0)
    if descriptor < 0:
        if ctypes.get_errno() in (errno.EBADF, errno.ESRCH):
            return None
        raise OSError(ctypes.get_errno(), f"cannot cut process {process} off")
    copy = socket.socket(fileno=descriptor)
    if copy.family in (socket.AF_INET, socket.AF_INET6) and copy.type == socket.SOCK_STREAM:
        return copy
    copy.close()
    return None
