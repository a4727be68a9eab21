package sandbox

// WithoutNamespaces is the same sandbox as it is on a machine that gives none.
func (s *Sandbox) WithoutNamespaces() *Sandbox {
	p := s.Protection()
	p.Namespaces = false
	return &Sandbox{root: s.root, scratch: s.scratch, protection: func() Protection { return p }}
}
