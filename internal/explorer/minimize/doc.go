// Package minimize finds smaller schedules with the same finding, the step after which no run passes, and the nearest run that passes.
package minimize
