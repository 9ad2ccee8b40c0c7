// Package stateset provides the visited sets by which an exploration recognizes states.
package stateset
