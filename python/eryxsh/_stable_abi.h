/* What _ext.c needs of Python.h, for a machine whose Python came without its
 * headers (a distribution's python3 without python3-dev). These names and
 * layouts are CPython's stable ABI, which does not change: abi3, 64 bit, with
 * the GIL. */
#ifndef ERYXSH_STABLE_ABI_H
#define ERYXSH_STABLE_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef ssize_t Py_ssize_t;
#define PY_SSIZE_T_MAX ((Py_ssize_t)(((size_t)-1) >> 1))

typedef struct _typeobject PyTypeObject;
typedef struct _object {
  Py_ssize_t ob_refcnt;
  PyTypeObject *ob_type;
} PyObject;
typedef struct _ts PyThreadState;
typedef struct _is PyInterpreterState;

void Py_IncRef(PyObject *);
void Py_DecRef(PyObject *);
#define Py_INCREF(o) Py_IncRef((PyObject *)(o))
#define Py_DECREF(o) Py_DecRef((PyObject *)(o))
#define Py_XDECREF(o) Py_DecRef((PyObject *)(o)) /* the function takes NULL */
#define Py_CLEAR(o)                    \
  do {                                 \
    PyObject *cleared = (PyObject *)(o); \
    (o) = NULL;                        \
    Py_DecRef(cleared);                \
  } while (0)
#define Py_TYPE(o) (((PyObject *)(o))->ob_type)

/* Singletons, types, exceptions. */
extern PyObject _Py_NoneStruct, _Py_TrueStruct, _Py_FalseStruct;
#define Py_None (&_Py_NoneStruct)
#define Py_True (&_Py_TrueStruct)
#define Py_False (&_Py_FalseStruct)
#define Py_RETURN_NONE return Py_INCREF(Py_None), Py_None
#define Py_RETURN_TRUE return Py_INCREF(Py_True), Py_True
#define Py_RETURN_FALSE return Py_INCREF(Py_False), Py_False
extern PyTypeObject PyFloat_Type;
extern PyObject *PyExc_ImportError, *PyExc_OSError, *PyExc_OverflowError, *PyExc_RuntimeError, *PyExc_TypeError, *PyExc_ValueError;

unsigned long PyType_GetFlags(PyTypeObject *);
int PyType_IsSubtype(PyTypeObject *, PyTypeObject *);
#define ERYXSH_HAS(o, bit) ((PyType_GetFlags(Py_TYPE(o)) & (1UL << (bit))) != 0)
#define PyLong_Check(o) ERYXSH_HAS(o, 24)
#define PyList_Check(o) ERYXSH_HAS(o, 25)
#define PyTuple_Check(o) ERYXSH_HAS(o, 26)
#define PyBytes_Check(o) ERYXSH_HAS(o, 27)
#define PyUnicode_Check(o) ERYXSH_HAS(o, 28)
#define PyDict_Check(o) ERYXSH_HAS(o, 29)
#define PyFloat_Check(o) (Py_TYPE(o) == &PyFloat_Type || PyType_IsSubtype(Py_TYPE(o), &PyFloat_Type))

/* Values. */
PyObject *PyBool_FromLong(long);
PyObject *PyLong_FromLongLong(long long);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long);
long PyLong_AsLong(PyObject *);
long long PyLong_AsLongLongAndOverflow(PyObject *, int *);
unsigned long long PyLong_AsUnsignedLongLong(PyObject *);
PyObject *PyFloat_FromDouble(double);
double PyFloat_AsDouble(PyObject *);
PyObject *PyBytes_FromStringAndSize(const char *, Py_ssize_t);
int PyBytes_AsStringAndSize(PyObject *, char **, Py_ssize_t *);
char *PyBytes_AsString(PyObject *);
Py_ssize_t PyBytes_Size(PyObject *);
PyObject *PyUnicode_AsEncodedString(PyObject *, const char *, const char *);
PyObject *PyUnicode_AsUTF8String(PyObject *);
PyObject *PyUnicode_DecodeUTF8(const char *, Py_ssize_t, const char *);
int PyUnicode_FSConverter(PyObject *, void *);
PyObject *PyTuple_New(Py_ssize_t);
Py_ssize_t PyTuple_Size(PyObject *);
PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);
PyObject *PyList_AsTuple(PyObject *);
PyObject *PyDict_New(void);
PyObject *PyDict_Copy(PyObject *);
Py_ssize_t PyDict_Size(PyObject *);
int PyDict_Next(PyObject *, Py_ssize_t *, PyObject **, PyObject **);
int PyDict_SetItem(PyObject *, PyObject *, PyObject *);
PyObject *PyDict_GetItem(PyObject *, PyObject *);
PyObject *PyTuple_Pack(Py_ssize_t, ...);
PyObject *PyUnicode_InternFromString(const char *);
PyObject *PyObject_CallFunctionObjArgs(PyObject *, ...);
PyObject *PyObject_GetAttrString(PyObject *, const char *);
PyObject *PyImport_ImportModule(const char *);

/* Errors, arguments, memory, threads. */
PyObject *PyErr_NoMemory(void);
PyObject *PyErr_SetFromErrno(PyObject *);
void PyErr_Clear(void);
void PyErr_Fetch(PyObject **, PyObject **, PyObject **);
void PyErr_Restore(PyObject *, PyObject *, PyObject *);
void PyErr_NormalizeException(PyObject **, PyObject **, PyObject **);
int PyException_SetTraceback(PyObject *, PyObject *);
PyObject *PyErr_Occurred(void);
PyObject *PyErr_Format(PyObject *, const char *, ...);
PyObject *PyErr_NewException(const char *, PyObject *, PyObject *);
void PyErr_SetObject(PyObject *, PyObject *);
void PyErr_SetString(PyObject *, const char *);
int PyErr_CheckSignals(void);
int PyArg_UnpackTuple(PyObject *, const char *, Py_ssize_t, Py_ssize_t, ...);
void *PyMem_Malloc(size_t);
void *PyMem_Realloc(void *, size_t);
void PyMem_Free(void *);
PyThreadState *PyEval_SaveThread(void);
void PyEval_RestoreThread(PyThreadState *);
PyInterpreterState *PyInterpreterState_Get(void);
int64_t PyInterpreterState_GetID(PyInterpreterState *);
#define Py_BEGIN_ALLOW_THREADS { PyThreadState *saved = PyEval_SaveThread();
#define Py_END_ALLOW_THREADS PyEval_RestoreThread(saved); }

/* Modules. */
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef int (*visitproc)(PyObject *, void *);
typedef int (*traverseproc)(PyObject *, visitproc, void *);
typedef int (*inquiry)(PyObject *);
typedef void (*freefunc)(void *);
typedef struct {
  const char *ml_name;
  PyCFunction ml_meth;
  int ml_flags;
  const char *ml_doc;
} PyMethodDef;
typedef struct {
  int slot;
  void *value;
} PyModuleDef_Slot;
typedef struct {
  PyObject ob_base;
  PyObject *(*m_init)(void);
  Py_ssize_t m_index;
  PyObject *m_copy;
} PyModuleDef_Base;
struct PyModuleDef {
  PyModuleDef_Base m_base;
  const char *m_name;
  const char *m_doc;
  Py_ssize_t m_size;
  PyMethodDef *m_methods;
  PyModuleDef_Slot *m_slots;
  traverseproc m_traverse;
  inquiry m_clear;
  freefunc m_free;
};
#define PyModuleDef_HEAD_INIT {{1, NULL}, NULL, 0, NULL}
#define METH_VARARGS 1
#define METH_NOARGS 4
#define METH_O 8
#define Py_mod_exec 2
PyObject *PyModuleDef_Init(struct PyModuleDef *);
void *PyModule_GetState(PyObject *);
int PyModule_AddObject(PyObject *, const char *, PyObject *);
#define Py_VISIT(o)                          \
  do {                                       \
    if (o) {                                 \
      int stop = visit((PyObject *)(o), arg); \
      if (stop) return stop;                 \
    }                                        \
  } while (0)
#define PyMODINIT_FUNC __attribute__((visibility("default"))) PyObject *
#define PyDoc_STR(text) text
#define PyDoc_STRVAR(name, text) static const char name[] = text

#endif
