package main

import (
	"context"
	"os"
	"os/exec"

	"gatehouse/cmd/bench/bare"
)

func bareShellControl() *Control {
	return &Control{
		How: "the same commands through the same pipes to a bare program that parses each with the same library and decides nothing",
		Take: func(ctx context.Context, s *Stage) (Run, error) {
			self, err := os.Executable()
			if err != nil {
				return Run{}, err
			}
			cmd := exec.CommandContext(ctx, self)
			cmd.Env = append(os.Environ(), bare.Kind+"="+bare.Shell)
			return classified(s, cmd)
		},
	}
}
