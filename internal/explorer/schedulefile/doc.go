// Package schedulefile reads and writes files of schedules that have a finding, in the folders of their tests.
package schedulefile
