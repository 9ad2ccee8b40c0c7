// Package schedulefile reads and writes files of schedules that have a finding.
package schedulefile
