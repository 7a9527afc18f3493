package jq

import "math"

// mathNatives are the functions of numbers.
var mathNatives = append(append(unary(), binaryMath()...), []native{
	{"infinite", 0, func(p *Program, a []Value) (Value, bool) { return num(math.Inf(1)), true }},
	{"nan", 0, func(p *Program, a []Value) (Value, bool) { return num(math.NaN()), true }},
	{"isinfinite", 0, func(p *Program, a []Value) (Value, bool) {
		return p.test(a[0], func(f float64) bool { return math.IsInf(f, 0) })
	}},
	{"isnan", 0, func(p *Program, a []Value) (Value, bool) { return p.test(a[0], math.IsNaN) }},
	{"isnormal", 0, func(p *Program, a []Value) (Value, bool) {
		return p.test(a[0], func(f float64) bool {
			return !math.IsNaN(f) && !math.IsInf(f, 0) && math.Abs(f) >= 0x1p-1022
		})
	}},
	{"frexp", 0, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != Number {
			return p.notNumber(a[0])
		}
		f, e := math.Frexp(a[0].N)
		return p.Heap.array([]Value{num(f), num(float64(e))}), true
	}},
	{"modf", 0, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != Number {
			return p.notNumber(a[0])
		}
		if math.IsInf(a[0].N, 0) {
			return p.Heap.array([]Value{num(math.Copysign(0, a[0].N)), a[0]}), true
		}
		i, f := math.Modf(a[0].N)
		return p.Heap.array([]Value{num(f), num(i)}), true
	}},
	{"lgamma_r", 0, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != Number {
			return p.notNumber(a[0])
		}
		f, sign := math.Lgamma(a[0].N)
		return p.Heap.array([]Value{num(f), num(float64(sign))}), true
	}},
	{"fma", 3, func(p *Program, a []Value) (Value, bool) {
		for _, v := range a[1:] {
			if v.K != Number {
				return p.notNumber(v)
			}
		}
		return num(math.FMA(a[1].N, a[2].N, a[3].N)), true
	}},
}...)

func (p *Program) notNumber(v Value) (Value, bool) {
	return empty, p.raise("%s (%s) number required", v.kindName(), p.brief(v))
}

func (p *Program) test(v Value, f func(float64) bool) (Value, bool) {
	if v.K != Number {
		return p.notNumber(v)
	}
	return boolean(f(v.N)), true
}

func unary() (list []native) {
	for _, f := range []struct {
		name string
		run  func(float64) float64
	}{
		{"floor", math.Floor}, {"ceil", math.Ceil}, {"round", math.Round}, {"trunc", math.Trunc}, {"sqrt", math.Sqrt}, {"cbrt", math.Cbrt},
		{"nearbyint", math.RoundToEven}, {"rint", math.RoundToEven}, {"fabs", math.Abs}, {"exp", math.Exp}, {"exp2", math.Exp2}, {"expm1", math.Expm1},
		{"exp10", func(x float64) float64 { return math.Pow(10, x) }}, {"pow10", func(x float64) float64 { return math.Pow(10, x) }},
		{"log", math.Log}, {"log2", math.Log2}, {"log10", math.Log10}, {"log1p", math.Log1p}, {"logb", math.Logb},
		{"sin", math.Sin}, {"cos", math.Cos}, {"tan", math.Tan}, {"asin", math.Asin}, {"acos", math.Acos}, {"atan", math.Atan},
		{"sinh", math.Sinh}, {"cosh", math.Cosh}, {"tanh", math.Tanh}, {"asinh", math.Asinh}, {"acosh", math.Acosh}, {"atanh", math.Atanh},
		{"j0", math.J0}, {"j1", math.J1}, {"y0", math.Y0}, {"y1", math.Y1}, {"tgamma", math.Gamma},
		{"gamma", logGamma}, {"lgamma", logGamma}, {"significand", significand},
	} {
		list = append(list, native{f.name, 0, func(p *Program, a []Value) (Value, bool) {
			if a[0].K != Number {
				return p.notNumber(a[0])
			}
			return num(f.run(a[0].N)), true
		}})
	}
	return list
}

func logGamma(x float64) float64 { y, _ := math.Lgamma(x); return y }

func significand(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	f, _ := math.Frexp(x)
	return 2 * f
}

func binaryMath() (list []native) {
	scale := func(x, y float64) float64 { return math.Ldexp(x, clampInt(y)) }
	for _, f := range []struct {
		name string
		run  func(x, y float64) float64
	}{
		{"pow", math.Pow}, {"atan2", math.Atan2}, {"fmin", math.Min}, {"fmax", math.Max}, {"fmod", math.Mod}, {"hypot", math.Hypot},
		{"copysign", math.Copysign}, {"nextafter", math.Nextafter}, {"nexttoward", math.Nextafter}, {"drem", math.Remainder}, {"fdim", math.Dim},
		{"ldexp", scale}, {"scalb", scale}, {"scalbln", scale},
	} {
		list = append(list, native{f.name, 2, func(p *Program, a []Value) (Value, bool) {
			for _, v := range a[1:] {
				if v.K != Number {
					return p.notNumber(v)
				}
			}
			return num(f.run(a[1].N, a[2].N)), true
		}})
	}
	return list
}
