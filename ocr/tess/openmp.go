//go:build cgo

package tess

// #cgo linux LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stddef.h>
//
// static void opendesk_no_openmp(void) {
//	void (*set)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
//	if (set != NULL)
//		set(0);
// }
import "C"

// singleThreaded switches OpenMP off for the calling thread: with no active
// level every parallel region runs on the thread that enters it. The variable
// OMP_THREAD_LIMIT=1 does the same for a whole process, but the library reads
// it when the process starts and never again.
func singleThreaded() { C.opendesk_no_openmp() }
