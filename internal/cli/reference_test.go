package cli

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/golden"
	"github.com/spf13/cobra"
)
