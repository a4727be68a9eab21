package inside

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"gatehouse/agentd/policy"
)

// mine is what a command may replace: what was measured before it was allowed, and what it made itself.
type mine struct {
	mu    sync.Mutex
	names map[string]bool // beneath the data root
}

func newMine(measured []string) *mine {
	m := &mine{names: map[string]bool{}}
	for _, rel := range measured {
		m.names[rel] = true
	}
	return m
}

// take says whether rel may be replaced. What is not there yet, or is empty, becomes the command's own.
func (m *mine) take(rel string, there bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !there {
		m.names[rel] = true
	}
	return m.names[rel]
}

// mayTouch looks at the world just before a real command, when its words and its folder are known: nothing is
// replaced that was not measured, and nothing is worked on as a part of a folder that may not be touched by name.
func (r *runner) mayTouch(plan policy.ShellPlan) error {
	for _, dir := range plan.Trees {
		if err := r.clean(dir, plan.Programs); err != nil {
			return err
		}
	}
	for _, rel := range plan.Writes {
		p := filepath.Join(r.env.Root, rel)
		real, err := realName(p)
		if err != nil {
			return err
		}
		if err := r.judged(rel, p, real, true); err != nil {
			return err
		}
	}
	if r.allowed.Rank() >= policy.Red.Rank() {
		return nil
	}
	return r.replaces(plan)
}

// replaces looks at what is lost where nobody was asked about all of it.
func (r *runner) replaces(plan policy.ShellPlan) error {
	for _, rel := range plan.Writes {
		rel = Target(r.env.Root, rel)
		info, err := os.Lstat(filepath.Join(r.env.Root, rel))
		if !r.mine.take(rel, err == nil && HoldsSomething(info)) {
			return fmt.Errorf("it would replace %s. Name that file in the command, from the data folder, so that it can be asked", rel)
		}
	}
	for _, rel := range plan.Merges {
		rel = Target(r.env.Root, rel)
		info, err := os.Lstat(filepath.Join(r.env.Root, rel))
		if !r.mine.take(rel, err == nil && info.IsDir()) {
			return fmt.Errorf("it would copy over %s. Name that folder in the command, from the data folder, so that it can be asked", rel)
		}
	}
	return nil
}

// HoldsSomething says whether a file has content that can be lost.
func HoldsSomething(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Size() > 0 }

// Target is the name, from the data root, of what is written when rel is.
func Target(root, rel string) string {
	real, err := realName(filepath.Join(root, rel))
	if err == nil {
		real, err = filepath.Rel(root, real)
	}
	if err != nil {
		return rel
	}
	return real
}

// protected says why a file of the data root may not be touched.
func (r *runner) protected(p string) string {
	rel, err := filepath.Rel(r.env.Root, p)
	if err != nil || strings.HasPrefix(rel, "..") {
		return ""
	}
	return policy.Protected(rel, r.env)
}
