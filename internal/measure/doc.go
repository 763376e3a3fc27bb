// Package measure tells benchmarks what this process has used. The clock on the wall is of little use on a busy machine;
// the processor time of all threads is the same there, the garbage collector's included.
package measure
