package channel

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"
)

// ProvidersFile is the file in the state directory that says where a provider is, if not where it always is: at a server of its own, or
// of a test.
const ProvidersFile = "channels.yaml"

// at is what the file says about one channel.
type at struct {
	BaseURL string `yaml:"base_url"`
}

// BaseURLs reads the file in a state directory, and says what stands in for the address of a channel's provider; empty: nothing does.
func BaseURLs(dir string) (of func(channel string) string, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, ProvidersFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", ProvidersFile, err)
	}
	all := map[string]at{}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", ProvidersFile, err)
	}
	for name, one := range all {
		if err := checkBase(one.BaseURL); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", ProvidersFile, name, err)
		}
	}
	return func(channel string) string { return all[channel].BaseURL }, nil
}

// checkBase takes what is encrypted, or on this machine: tokens go there.
func checkBase(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("base_url is an address, such as https://api.example.com")
	}
	ip := net.ParseIP(u.Hostname())
	here := ip != nil && ip.IsLoopback() || u.Hostname() == "localhost"
	if u.Scheme != "https" && (u.Scheme != "http" || !here) {
		return errors.New("base_url begins with https://; with http:// only on this machine")
	}
	return nil
}
