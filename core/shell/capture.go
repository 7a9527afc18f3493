package shell

// capturePart is how many bytes a part of a long capture has. A buffer that grows
// is copied and cleared in one go, which takes too long for hundreds of megabytes.
const capturePart = 1 << 20

// collect appends b to a capture.
func (o *OFD) collect(b []byte) {
	for len(o.Text)+len(b) > capturePart {
		n := max(capturePart-len(o.Text), 0)
		if o.Full == nil {
			o.Full = &Filled{}
		}
		o.Full.Parts = append(o.Full.Parts, append(o.Text, b[:n]...))
		o.Text, b = make([]byte, 0, capturePart), b[n:]
	}
	o.Text = append(o.Text, b...)
}

// from is what a file without an inode holds at an offset: up to the end of the part it is in.
func (o *OFD) from(off int64) []byte {
	if o.Full != nil {
		for _, part := range o.Full.Parts {
			if off < int64(len(part)) {
				return part[off:]
			}
			off -= int64(len(part))
		}
	}
	return o.Text[min(off, int64(len(o.Text))):]
}
