package expand

// Text is the word as it stood in the source, for declare -f and set -x.
func (w *Word) Text() string {
	if w == nil {
		return ""
	}
	return w.text
}

// Text is the expression as it stood in the source.
func (a *Arith) Text() string { return a.text }
