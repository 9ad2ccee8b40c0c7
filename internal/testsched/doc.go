// Package testsched explores the schedules of a test. It draws the parameters of schedules, executes the test under each, and minimizes
// and explains the first failing run. Under a schedule, the changed runtime chooses the goroutines (decide.go.txt and choose.go.txt in
// internal/overlay/source/tests/runtime). It executes inside the test binary: internal/overlay adds its source to the Go distribution.
// It may therefore import only the packages that package testing may.
package testsched
