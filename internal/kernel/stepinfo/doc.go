// Package stepinfo describes the results of steps of a world.
package stepinfo
