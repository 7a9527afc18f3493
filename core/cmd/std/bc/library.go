package bc

// library is the program of -l: exponential, logarithm, sine, cosine, arctangent and Bessel functions. Each works
// with some digits more than it gives.
const library = `
define e(x) {
  auto k, m, r, t, i, z
  z = scale
  scale = z + 10
  if (x < 0) {
    scale = z + 4
    r = e(-x)
    scale = z
    return (1 / r)
  }
  m = x / 1
  while (m > .25) { m /= 2; k += 1 }
  scale = z + 10 + k / 2 + .5 * x
  m = x / 2 ^ k
  r = t = i = 1
  while ((t = t * m / i++) != 0) r += t
  while (k-- > 0) r *= r
  scale = z
  return (r / 1)
}
define l(x) {
  auto k, r, t, y, i, z
  z = scale
  if (x <= 0) return ((1 - 10 ^ z) / 1)
  scale = z + 10 + length(x) - scale(x)
  k = 2
  while (x > 1.25 || x < .8) { x = sqrt(x); k *= 2; scale += 1 }
  y = (x - 1) / (x + 1)
  r = t = y
  y *= y
  i = 1
  while ((t *= y) / (i += 2) != 0) r += t / i
  r *= k
  scale = z
  return (r / 1)
}
define s(x) {
  auto n, p, q, r, t, i, z
  z = scale
  q = length(x) - scale(x)
  if (q < 0) q = 0
  scale = z + 10 + q
  p = 4 * a(1)
  scale = 0
  n = (2 * x / p + 1) / 2
  if (x < 0) n = (2 * x / p - 1) / 2
  x -= n * p
  if (n % 2) x = -x
  scale = z + 6
  x /= 1
  r = t = x
  q = x * x
  for (i = 2; (t *= -q / (i * (i + 1))) != 0; i += 2) r += t
  scale = z
  return (r / 1)
}
define c(x) {
  auto r, z
  z = scale
  scale = z + 6
  r = s(x + 2 * a(1))
  scale = z
  return (r / 1)
}
define a(x) {
  auto k, r, t, y, i, z
  z = scale
  scale = z + 10
  k = 1
  while (x > .1 || x < -.1) { x /= 1 + sqrt(1 + x * x); k *= 2 }
  r = t = x
  y = x * x
  i = 1
  while ((t *= -y) / (i += 2) != 0) r += t / i
  r *= k
  scale = z
  return (r / 1)
}
define j(n, x) {
  auto r, t, y, i, g, z
  z = scale
  scale = 0
  n /= 1
  if (n < 0) { n = -n; if (n % 2) g = 1 }
  scale = z + 10 + length(x) - scale(x)
  t = x
  if (t < 0) t = -t
  scale = 2 * scale + n + t / 2
  r = 1
  for (i = 1; i <= n; i++) r *= x / 2 / i
  t = r
  y = x * x / 4
  for (i = 1; (t *= -y / (i * (n + i))) != 0; i++) r += t
  if (g) r = -r
  scale = z
  return (r / 1)
}
`
