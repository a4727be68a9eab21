package redact

import (
	"bytes"
	"math"
)

// entropy is Shannon's, in bits for each byte.
func entropy(v []byte) float64 {
	var count [256]int
	for _, c := range v {
		count[c]++
	}
	h, n := 0.0, float64(len(v))
	for _, k := range count {
		if k > 0 {
			p := float64(k) / n
			h -= p * math.Log2(p)
		}
	}
	return h
}

// jumbled says whether a long part of v has capitals and digits all over: words are longer than what stands between them.
func jumbled(v []byte) bool {
	for len(v) > 0 {
		k := bytes.IndexAny(v, "-_/. +:")
		part := v
		if v = nil; k >= 0 {
			part, v = part[:k], part[k+1:]
		}
		if len(part) < 16 || !mixedCase(part) {
			continue
		}
		if n := len(wordsOf(part)); n >= 4 && len(part) < 4*n || hasDigit(part) && n >= 4 && len(part) < 5*n {
			return true
		}
	}
	return false
}

// randomish says whether v looks made by a machine.
func randomish(v []byte) bool {
	if len(v) < 8 || wordy(v) || dateLike(v) {
		return false
	}
	e := entropy(v)
	switch {
	case len(v) < 16:
		return hasDigit(v) && mixed(v) && e >= 2.5
	case hasDigit(v):
		return e >= 3
	}
	return mixedCase(v) && (e >= 3.5 || e >= 3 && jumbled(v)) || e >= 3.7
}

// varied says whether v has enough different characters to be made by chance.
func varied(v []byte) bool {
	var seen [256]bool
	n := 0
	for _, c := range v {
		if !seen[c|0x20] {
			seen[c|0x20] = true
			n++
		}
	}
	return n >= 6
}

// oddPairs are letters that hardly stand beside each other in words, but do by chance.
const oddPairs = "bq bx cj cx dx fq fx fz gq gx gz hx hz jb jc jd jf jg jh jk jl jm jn jp jq jr js jt jv jw jx jy jz kq kx kz lq lx mq mx mz pq pv pz px qb qc qd qe qf qg qh qi qj qk ql qm qn qo qp qr qs qt qv qw qx qy qz rx sx sz tq tx vb vc vd vf vg vh vj vk vm vn vp vq vt vw vx vz wq wv wx wz xb xd xg xj xk xn xq xr xv xw xz yq yz zb zc zd zf zg zj zk zm zn zp zq zr zs zt zv zw zx"

var odd = func() (t [26][26]bool) {
	for i := 0; i+1 < len(oddPairs); i += 3 {
		t[oddPairs[i]-'a'][oddPairs[i+1]-'a'] = true
	}
	return t
}()

func oddPair(a, b byte) bool {
	return a >= 'a' && a <= 'z' && b >= 'a' && b <= 'z' && odd[a-'a'][b-'a']
}
