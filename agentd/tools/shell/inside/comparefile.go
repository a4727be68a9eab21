package inside

import (
	"fmt"
	"os"
	"path/filepath"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
)

// file looks at a file, after the same look that a command gets.
func (r *runner) file(op syntax.UnTestOperator, name string) (bool, error) {
	info, err := r.stat(name, op != syntax.TsSmbLink)
	if err != nil || info == nil {
		return false, err
	}
	switch op {
	case syntax.TsExists:
		return true, nil
	case syntax.TsRegFile:
		return info.Mode().IsRegular(), nil
	case syntax.TsDirect:
		return info.IsDir(), nil
	case syntax.TsNoEmpty:
		return info.Size() > 0, nil
	case syntax.TsSmbLink:
		return info.Mode()&os.ModeSymlink != 0, nil
	case syntax.TsRead:
		return info.Mode()&0o444 != 0, nil
	case syntax.TsWrite:
		return info.Mode()&0o222 != 0, nil
	case syntax.TsExec:
		return info.Mode()&0o111 != 0, nil
	}
	return false, fmt.Errorf("refused: this shell does not know the test %s", op)
}

func (r *runner) stat(name string, follow bool) (os.FileInfo, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // there is no such file, and that is no mistake
	}
	plan := policy.Redirected(name, false, false, r.here())
	if plan.Class.Tier.Rank() > r.allowed.Rank() {
		return nil, fmt.Errorf("refused: %s: %s", name, plan.Class.Why)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.dir, name)
	}
	look := os.Lstat
	if follow {
		look = os.Stat
	}
	info, err := look(name)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // what cannot be looked at is not there
	}
	return info, nil
}
