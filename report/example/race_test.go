//go:build race

package example

const raced = true
