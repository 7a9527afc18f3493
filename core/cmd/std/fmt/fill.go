package fmt

// The costs, in squares of tenths of a column.
const (
	lineCost      = 70 * 70
	sentenceBonus = 50 * 50
	noBreakCost   = 600 * 600
	parenBonus    = 40 * 40
	punctBonus    = 40 * 40
	widowCost     = 200 * 200 // divided by the length of the word + 2
	orphanCost    = 150 * 150
)

func short(n int) int64  { return int64(n) * 10 * int64(n) * 10 }
func ragged(n int) int64 { return short(n) / 2 }

// fill chooses the breaks of the paragraph: for every word, from the last to
// the first, where the line that begins there ends best. It leaves a sentinel
// behind the words.
func (p *program) fill() {
	p.Words = append(p.Words, word{length: p.opt.width})
	words := p.Words
	end := len(words) - 1
	for i := range words[:end] {
		words[i].length = len(words[i].Text)
	}
	for start := end - 1; start >= 0; start-- {
		best := int64(1<<63 - 1)
		width := p.Other
		if start == 0 {
			width = p.First
		}
		w := start
		width += words[w].length
		for {
			w++
			cost := p.cost(w, width) + words[w].cost
			if start == 0 && p.LastWidth > 0 {
				cost += ragged(width - p.LastWidth)
			}
			if cost < best {
				best = cost
				words[start].next, words[start].width = w, width
			}
			if w == end {
				break
			}
			if width += words[w-1].Space + words[w].length; width >= p.opt.width {
				break
			}
		}
		words[start].cost = best + p.base(start)
	}
}

// cost is what breaking before a word costs for a line of that width.
func (p *program) cost(next, width int) int64 {
	end := len(p.Words) - 1
	if next == end {
		return 0
	}
	cost := short(p.opt.goal - width)
	if p.Words[next].next != end {
		cost += ragged(width - p.Words[next].width)
	}
	return cost
}

// base is what beginning a line with a word costs.
func (p *program) base(i int) int64 {
	cost := int64(lineCost)
	w := &p.Words[i]
	if i > 0 {
		before := &p.Words[i-1]
		switch {
		case before.period && before.Final:
			cost -= sentenceBonus
		case before.period:
			cost += noBreakCost
		case before.punct:
			cost -= punctBonus
		case i > 1 && p.Words[i-2].Final:
			cost += widowCost / int64(before.length+2)
		}
	}
	if w.paren {
		cost -= parenBonus
	} else if w.Final {
		cost += orphanCost / int64(w.length+2)
	}
	return cost
}
