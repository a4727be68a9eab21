package repocheck

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutant is a build from which one check is missing. The test that shows the promise must notice.
type mutant struct {
	promise    string
	file       string // and in it, exactly once,
	from, to   string
	pkg, tests string
	always     bool // in every run: it takes a second or two
}

var mutants = []mutant{
	{
		"a known secret leaves in no encoding", "agentd/redact/registry.go",
		"for _, v := range variantsOf(value) {", "for _, v := range variantsOf(value)[:0] {",
		"./agentd/redact", "TestRegistry_everySingleEncoding", false,
	}, {
		"what was redacted stays as it is", "agentd/redact/settle.go",
		"marks.within(f) ||", "",
		"./agentd/redact", "TestCorpus_positive|TestMarks|FuzzScan", false,
	}, {
		"a mark announces nothing", "agentd/redact/rule.go",
		" || h.marks.hold(i)", "",
		"./agentd/redact", "TestMarks", true,
	}, {
		"whoever names a member keeps nothing in it", "agentd/redact/fields.go",
		"!j.ours() || ", "",
		"./agentd/redact", "TestBytes_foreignNames", true,
	}, {
		"our own names stand in our own places", "agentd/redact/json.go",
		"(j.own == 0 || ownContainers[key])", "true",
		"./agentd/redact", "TestBytes_foreignNames", false,
	}, {
		"requests to models are cleaned", "agentd/llm/scrub/scrub.go",
		"clean, findings := s.engine.Scan(text)", "_, findings := s.engine.Scan(text)\n\tclean := text",
		"./agentd/llm/proxy", "TestLeaks", false,
	}, {
		"a permit is for one use", "agentd/gate/permit.go",
		"|| g.used.Swap(true)", "|| g.used.Load()",
		"./agentd/gate", "TestPermit_refused", false,
	}, {
		"a permit is for these arguments", "agentd/gate/permit.go",
		"sha256.Sum256(args) != g.args || ", "",
		"./agentd/gate", "TestPermit_refused", false,
	}, {
		"the record precedes the effect", "agentd/gate/start.go",
		"t.appendReceipts(p.startReceipts(d, a, leased))", "t.appendReceipts(leased)",
		"./agentd/gate", "TestDo_green|TestSweep", false,
	}, {
		"an approval is used once", "agentd/gate/start.go",
		"now.Execution = wire.ExecRunning", "",
		"./agentd/gate", "TestGate_stateMachine|TestApproval", false,
	}, {
		"what may have happened is never repeated", "agentd/gate/recover.go",
		"if p.tool == nil || !p.def.Idempotent {", "if p.tool == nil {",
		"./agentd/gate", "TestDo_startedIsNotRepeated", false,
	}, {
		"content from outside makes the gate ask", "agentd/policy/decide.go",
		"case in.Taint == Tainted, in.Taint != Clean && in.Tier != YellowExternal:", "case false:",
		"./agentd/policy", "TestDecide", false,
	}, {
		"the unlock alone opens the way out", "agentd/policy/decide.go",
		"case in.Tier == YellowExternal && !in.Unlocked:", "case false:",
		"./agentd/policy", "TestDecide", false,
	}, {
		"a green query writes nothing", "agentd/policy/sqllex.go",
		"!sqlOperators[op]", "false",
		"./db", "TestClassified_greenWritesNothing", false,
	}, {
		"a number hides no word of a query", "agentd/policy/sqllex.go",
		"if !sqlNumber.MatchString(text) && ", "if false && ",
		"./agentd/policy", "TestClassify_corpus", false,
	}, {
		"what a service does when it is asked is no reading", "agentd/policy/httpjudge.go",
		"case r.acts || ", "case ",
		"./agentd/tools/httprequest", "TestRouted", false,
	}, {
		"more of a command is never less risk", "agentd/policy/shelljudge.go",
		"if t.Rank() > j.tier.Rank() {", "if j.tier == Green || t == Forbidden {",
		"./agentd/policy", "TestShell_monotone", false,
	}, {
		"a lower level never allows more", "agentd/policy/decide.go",
		"case level < 2:", "case level == 2:",
		"./agentd/policy", "TestDecide_monotone", false,
	}, {
		"what goes to the hub is cleaned", "agentd/link/outbox.go",
		"if raw = redact.Frame(raw); len(raw) > maxKept {", "if _ = redact.Frame; len(raw) > maxKept {",
		"./agentd/link", "TestOutbox_refuses", false,
	}, {
		"the hub carries boxes, not values", "agentd/wire/secretbox.go",
		"aead.Seal(from, iv, pad(value), []byte(p.Text()))", "append(append(from, pad(value)...), aead.Seal(nil, iv, nil, nil)...)",
		"./agentd/wire", "TestSecretBox", false,
	}, {
		"a value opens for the browser that asked", "agentd/vault/counter/acts.go",
		"if by, err = c.signed(ctx, tx, wire.ChangeSecretReveal, body, p.Signature); err != nil {", "if by, err = c.signed(ctx, tx, wire.ChangeSecretReveal, body, p.Signature); false {",
		"./agentd/vault/counter", "TestReveal_hostileHub", false,
	}, {
		"a receipt that is missing is named", "agentd/receipt/verify.go",
		"case r.PrevHash != at.Hash:", "case false:",
		"./agentd/receipt", "TestVerify_namesARecordHashedAnew", false,
	}, {
		"a receipt that was changed is named", "agentd/receipt/verify.go",
		"if err != nil || want != r.Hash {", "if err != nil || false && want != r.Hash {",
		"./agentd/receipt", "TestVerify_namesAnyChangedByte", true,
	}, {
		"only the owner's key allows", "agentd/approver/verify.go",
		"return ecdsa.Verify(", "return true || ecdsa.Verify(",
		"./agentd/approver", "TestDecision", false,
	}, {
		"the first key comes before the server registers", "agentd/approver/seed.go",
		"case registered:", "case false:",
		"./agentd/approver", "TestBegin_refused", false,
	}, {
		"the first key comes where no key has been", "agentd/approver/seed.go",
		"case ever > 0:", "case false:",
		"./agentd/approver", "TestBegin_refused", false,
	}, {
		"the first key comes with the very first start", "agentd/approver/seed.go",
		"case !first:", "case false:",
		"./agentd/approver", "TestBegin_refused", false,
	}, {
		"a signature allows once", "agentd/approver/verify.go",
		"if used {", "if used && false {",
		"./agentd/approver", "TestAdversary|TestDecision", false,
	}, {
		"a signature allows in time", "agentd/approver/decision.go",
		"case !at.Before(a.ExpiresAt):", "case false:",
		"./agentd/approver", "TestAdversary|TestDecision_times", false,
	}, {
		"the same JSON has the same digest", "agentd/policy/canonical/canonical.go",
		"if !slices.IsSortedFunc(all, inOrder) {", "if false {",
		"./agentd/policy/canonical", "Test|Fuzz", true,
	}, {
		"other JSON has another digest", "agentd/policy/canonical/canonical.go",
		"if all[i-1].key == all[i].key {", "if false {",
		"./agentd/policy/canonical", "Test|Fuzz", false,
	}, {
		"no nonce comes twice", "agentd/vault/seal.go",
		"nonce := random(aead.NonceSize())", "nonce := make([]byte, aead.NonceSize())",
		"./agentd/vault", "TestSeal_nonces", false,
	}, {
		"what is sealed opens at its place alone", "agentd/vault/seal.go",
		"aead.Open(nil, box[:aead.NonceSize()], box[aead.NonceSize():], []byte(aad))", "append([]byte{}, box[aead.NonceSize():len(box)-16]...), error(nil)",
		"./agentd/vault", "FuzzSeal|TestTamper", false,
	}, {
		"what lay in clear is gone after a crash", "agentd/vault/seed.go",
		"if err := shredSeeded(dir); err != nil {", "if err := error(nil); err != nil {",
		"./agentd/vault", "TestSweep", false,
	}, {
		"a half-done rotation is settled", "agentd/vault/rotate.go",
		"if worksNew {", "if worksNew && false {",
		"./agentd/vault", "TestSweep|TestRotate", false,
	}, {
		"a secret goes where it is bound", "agentd/vault/binding.go",
		"return useOf(b) == u }", "return useOf(b) == u || true }",
		"./agentd/tools/httprequest", "TestRun_refElsewhere", false,
	}, {
		"letters that look like a reference are letters", "agentd/gate/secretrefs.go",
		"if len(named) == 0 {", "if true {",
		"./agentd/gate", "TestLease", false,
	}, {
		"what is opened is looked at", "agentd/tools/dataroot/root.go",
		"if info, err = r.check(f, rel); err != nil {", "if err != nil {",
		"./agentd/tools/dataroot", "TestSwapper", false,
	}, {
		"a name leads to what lies in the folder", "agentd/tools/dataroot/root.go",
		"case st.Nlink != 1:", "case false:",
		"./agentd/tools/dataroot", "FuzzNames", false,
	}, {
		"a crash leaves no memory behind", "agentd/sandbox/sandbox.go",
		"unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})", "nil",
		"./cmd/agentd", "TestProcess_noCore", false,
	}, {
		"a link shows its secret once", "db/secret_links.go",
		`.Where("l.taken_at IS NULL")`, "",
		"./db", "TestSecretLinks", false,
	}, {
		"taint passes on to who is asked", "agentd/runtime/dispatch.go",
		"child.addTaint(c.run.sources())", "",
		"./agentd/runtime", "Taint", false,
	},
}

// TestMutants shows that the tests of the promises can fail: each is run on a build without the check that keeps it. A few
// are tried each time, all of them with GATEHOUSE_SOAK; that each still is what it was is looked at always.
func TestMutants(t *testing.T) {
	t.Parallel()
	all := os.Getenv("GATEHOUSE_SOAK") != ""
	for _, m := range mutants {
		t.Run(m.promise, func(t *testing.T) {
			source := m.source(t)
			if all || m.always {
				m.run(t, source)
			}
		})
	}
}

// source is the file without the check.
func (m mutant) source(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), m.from); n != 1 {
		t.Fatalf("%q stands in %s %d times: where is that check now?", m.from, m.file, n)
	}
	return []byte(strings.Replace(string(b), m.from, m.to, 1))
}

// run builds the tests with that file in place of the real one. They build, and fail.
func (m mutant) run(t *testing.T, source []byte) {
	t.Helper()
	dir := t.TempDir()
	real, err := filepath.Abs(filepath.Join("../..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	without, list := filepath.Join(dir, "without.go"), filepath.Join(dir, "overlay.json")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{real: without}})
	if err != nil {
		t.Fatal(err)
	}
	for file, b := range map[string][]byte{without: source, list: overlay} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-ldflags", "-s -w", "-run", m.tests, m.pkg)
	cmd.Dir = "../.."
	// By the environment: what the tests build themselves is built so, too. They run short, as by default, and keep no case
	// that fails: that is no news.
	cmd.Env = append(os.Environ(), "GATEHOUSE_SOAK=", "RAPID_NOFAILFILE=1", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+list))
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--- FAIL: ") {
		t.Errorf("%s does not notice: %v\n%s", m.tests, err, tail(string(out), 2000))
	}
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
