package main

import (
	"context"
)

// runDoctor is "agentd doctor".
func runDoctor(ctx context.Context, c *call) error {
	return c.parse(0)
}
