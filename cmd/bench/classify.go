package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"
)

func classifyShell() Figure {
	return Figure{
		Name: "classify_shell_p99_us", Unit: "us", Goal: 200, Take: takeClassify,
		How:     "one shell command of the corpus to \"agentd check classify\" and its class back, one at a time, through pipes",
		Control: bareShellControl(),
	}
}

// takeClassify asks the shipped program.
func takeClassify(ctx context.Context, s *Stage) (Run, error) {
	agentd := filepath.Join(s.bench.bin, "agentd")
	return classified(s, exec.CommandContext(ctx, agentd, "check", "classify", "--root", filepath.Join(s.dir, "data")))
}

// classified starts a program, sends it every command of the corpus, harmless and adversarial, and waits for each answer before it
// sends the next.
func classified(s *Stage, program *exec.Cmd) (Run, error) {
	lines, err := shellLines()
	if err != nil {
		return Run{}, err
	}
	rounds := 10
	if s.bench.quick {
		rounds = 1
	}
	c, err := openClassifier(program)
	if err != nil {
		return Run{}, err
	}
	var took []time.Duration
	for range rounds {
		for _, l := range lines {
			d, err := c.ask(l)
			if err != nil {
				return Run{}, errors.Join(err, c.close())
			}
			took = append(took, d)
		}
	}
	return Run{Value: percentile(took, 99) * 1000, N: len(took), Note: fmt.Sprintf("half of them within %.0f us", percentile(took, 50)*1000)}, c.close()
}

// classifier is a program that runs and answers lines.
type classifier struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func openClassifier(cmd *exec.Cmd) (*classifier, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	c := &classifier{cmd: cmd, in: in, out: bufio.NewReader(out)}
	warm, err := question("ls")
	if err == nil {
		_, err = c.ask(warm)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// ask sends one line and says how long its answer took.
func (c *classifier) ask(line []byte) (time.Duration, error) {
	from := time.Now()
	if _, err := c.in.Write(line); err != nil {
		return 0, fmt.Errorf("ask: %w", err)
	}
	answer, err := c.out.ReadBytes('\n')
	took := time.Since(from)
	var v struct{ Tier string }
	if err == nil {
		err = json.Unmarshal(answer, &v)
	}
	if err == nil && v.Tier == "" {
		err = fmt.Errorf("%s has no tier", answer)
	}
	return took, err
}

func (c *classifier) close() error { return errors.Join(c.in.Close(), c.cmd.Wait()) }
