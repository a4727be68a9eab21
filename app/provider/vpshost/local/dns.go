package local

import (
	"context"
	"fmt"

	"gatehouse/app/provider/vpshost"
)

// Loopback makes names that need no records: everything below localhost means this machine, by RFC 6761. It is
// vpshost.DNS.
type Loopback struct{}

var _ vpshost.DNS = Loopback{}

// Create makes nothing and says so.
func (Loopback) Create(_ context.Context, slug string) ([]string, error) {
	return []string{fmt.Sprintf("Name %s.localhost: it means this machine by itself, so nothing public was made.", slug)}, nil
}

// Verify answers what the name means by RFC 6761, without asking any resolver.
func (Loopback) Verify(_ context.Context, slug string) ([]string, error) {
	return []string{fmt.Sprintf("%s.localhost is 127.0.0.1 and ::1. Nothing public was asked.", slug)}, nil
}
