package redact

import "bytes"

// lists looks at a stretch of JSON that holds nothing but numbers, from the bracket at i on, as a whole: a secret may
// stand in it as a list of bytes. What was found lies in j.listed until the numbers are come to.
func (j *jsonWalk) lists(i int) {
	if i < j.foreign {
		return
	}
	end := i
	for end < len(j.in) && (isDigit(j.in[end]) || isSpace(j.in[end]) || bytes.IndexByte([]byte("[],+-.eE"), j.in[end]) >= 0) {
		end++
	}
	if j.foreign = end; end-i < minNumbers {
		return
	}
	spans, err := j.s.scan(j.in[i:end], formed)
	if err != nil {
		spans = []span{{end: end - i, secret: -1, kind: "unscanned"}}
	}
	j.listed = j.listed[:0]
	for _, f := range spans {
		if bytes.IndexByte(j.in[i+f.start:i+f.end], ',') < 0 {
			continue // within one number, which is looked at where it stands
		}
		f.start, f.end = i+f.start, i+f.end
		j.listed = append(j.listed, f)
	}
}

// list redacts numbers from the one between i and end on when they are part of what was found in a list, up to the next
// bracket. It answers where to go on, or 0.
func (j *jsonWalk) list(i, end int) int {
	for len(j.listed) > 0 && j.listed[0].end <= i {
		j.listed = j.listed[1:]
	}
	if len(j.listed) == 0 || j.listed[0].start >= end {
		return 0
	}
	f := j.listed[0]
	for k := end; k < f.end && j.in[k] != ']'; k++ {
		if isDigit(j.in[k]) {
			k = j.numberEnd(k)
			end = k
			k--
		}
	}
	j.replace(i, end, j.e.mark(j.s, f, string(j.in[f.start:f.end])))
	return end
}

// numberEnd is behind the number at i.
func (j *jsonWalk) numberEnd(i int) int {
	for i < len(j.in) && (isWord(j.in[i]) || bytes.IndexByte([]byte("+-."), j.in[i]) >= 0) {
		i++
	}
	return i
}
