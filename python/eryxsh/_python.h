/* Python's stable ABI of 3.9, from Python.h or where that is missing from _stable_abi.h. */
#ifndef ERYXSH_PYTHON_H
#define ERYXSH_PYTHON_H

#if defined(__has_include) && !defined(ERYXSH_NO_PYTHON_H)
#if !__has_include(<Python.h>)
#define ERYXSH_NO_PYTHON_H
#endif
#endif
#ifdef ERYXSH_NO_PYTHON_H
#include "_stable_abi.h"
#else
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#endif

#endif
