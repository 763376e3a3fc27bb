//go:build !race

package example

const raced = false
