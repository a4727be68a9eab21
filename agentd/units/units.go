package units

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed agentd.service agentd-llm-proxy.service agentd-containers.service agentd-firewall.service agentd.nft agentd.sysusers.conf
//go:embed agentd-certificate.service agentd-certificate.timer agentd-wipe.service agentd-wipe.path
var files embed.FS

// Names are the files, in the order of their writing.
func Names() []string {
	return []string{
		"agentd.service", "agentd-llm-proxy.service", "agentd-containers.service", "agentd-firewall.service", "agentd.nft",
		"agentd.sysusers.conf", "agentd-certificate.service", "agentd-certificate.timer", "agentd-wipe.service", "agentd-wipe.path",
	}
}

// Text is the content of one file.
func Text(name string) (string, error) {
	b, err := files.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("unit %s: %w", name, err)
	}
	return string(b), nil
}

// Write puts the files into dir. One that is there and differs is left alone and named in the error: an operator may
// have changed it.
func Write(dir string) error {
	var kept []error
	for _, name := range Names() {
		text, err := Text(name)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, name)
		there, err := os.ReadFile(path)
		switch {
		case err == nil && string(there) != text:
			kept = append(kept, fmt.Errorf("%s is there and differs; it was left as it is", path))
			continue
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("look at %s: %w", path, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("write unit: %w", err)
		}
	}
	return errors.Join(kept...)
}
