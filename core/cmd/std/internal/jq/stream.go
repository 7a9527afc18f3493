package jq

// streamValue and streamToken are value and token of a Reader that gives events
// of --stream: [path, scalar] and, after the last element of a container, [path].
// The path is kept in Vals: one key or index for each open container that has an element.

func (r *Reader) tell(h *Heap, depth int, v Value) {
	path := h.array(h.copyOf(r.Vals[:depth]))
	items := []Value{path}
	if v.K != None {
		items = append(items, v)
	}
	r.event = h.array(items)
}

func (r *Reader) streamValue(h *Heap, v Value) string {
	n := len(r.Stack)
	if n == 0 {
		r.tell(h, 0, v)
		return ""
	}
	top := &r.Stack[n-1]
	if top.Object {
		if !top.Keyed {
			if v.K != String {
				return "Object keys must be strings"
			}
			r.Next = v
			return ""
		}
		r.Next = v
		r.tell(h, n, v)
		return ""
	}
	r.index(top)
	r.Next = v
	r.tell(h, n, v)
	return ""
}

// index writes the place of an array's next element into the path.
func (r *Reader) index(top *Open) {
	r.Vals = append(r.Vals[:len(r.Stack)-1], num(float64(top.Count)))
}

func (r *Reader) streamToken(h *Heap, c byte) string {
	n := len(r.Stack)
	var top *Open
	if n > 0 {
		top = &r.Stack[n-1]
	}
	switch c {
	case '[', '{':
		if n >= maxDepth {
			return "Exceeds depth limit for parsing"
		}
		if r.Next.K != None {
			return "Expected separator between values"
		}
		if top != nil {
			if top.Object && !top.Keyed {
				return "Expected string key after '{'"
			}
			if !top.Object {
				r.index(top)
			}
		}
		r.Stack = append(r.Stack, Open{Object: c == '{'})
	case ':':
		switch {
		case top == nil || !top.Object || top.Keyed:
			return "':' not as part of an object"
		case r.Next.K == None:
			return "Expected string key before ':'"
		}
		r.Vals = append(r.Vals[:n-1], r.Next)
		top.Keyed, r.Next = true, empty
	case ',':
		switch {
		case r.Next.K == None || top == nil:
			return "Expected value before ','"
		case top.Object && !top.Keyed:
			return "Objects must consist of key:value pairs"
		}
		top.Count++
		top.Keyed, r.Next = false, empty
	case ']', '}':
		object := c == '}'
		switch {
		case top == nil || top.Object != object:
			return "Unmatched '" + string(c) + "'"
		case r.Next.K != None && object && !top.Keyed:
			return "Objects must consist of key:value pairs"
		case r.Next.K == None && top.Keyed:
			return "Missing value in key:value pair"
		case r.Next.K == None && top.Count > 0 && object:
			return "Expected another key:value pair"
		case r.Next.K == None && top.Count > 0:
			return "Expected another array element"
		}
		r.Stack = r.Stack[:n-1]
		switch {
		case r.Next.K != None:
			r.tell(h, n, empty)
		case object:
			r.tell(h, n-1, h.object(nil, nil))
		default:
			r.tell(h, n-1, h.array(nil))
		}
		r.Next = empty
		if n > 1 {
			r.Next = null // an element of the container around
			r.Vals = r.Vals[:n-1]
		}
	}
	return ""
}
