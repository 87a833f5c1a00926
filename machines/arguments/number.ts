// Which numbers of a text survive: those that the nearest double, written out again, denotes exactly.

/** A decimal number as digits without zeros at either end and the power of ten behind them; null for zero. */
type Decimal = { readonly digits: string; readonly exponent: number } | null

/** Reads a JSON number, or what String() makes of a double. Signs are left out: they always survive. */
function decimalOf(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.toLowerCase().replace(/^-/, '').split('e', 2)
  const [whole = '', fraction = ''] = mantissa.split('.', 2)
  const leading = (whole + fraction).replace(/^0+/, '')
  const end = endWithoutZeros(leading)
  if (end === 0) return null
  return { digits: leading.slice(0, end), exponent: Number(power) - fraction.length + (leading.length - end) }
}

/** Counted by hand: a pattern for zeros at the end would look at long runs of them again and again. */
function endWithoutZeros(digits: string): number {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end -= 1
  return end
}

/**
 * True when nothing is lost by keeping the number as a double: the shortest text of the double denotes the very decimal that
 * is written. So `0.1`, `1.0`, `1e2` and `-0` survive; `9007199254740993`, `0.1000000000000000055`, `1e400` and `1e-400` do not.
 *
 * @param text one number of a valid JSON text
 */
export function survivesDouble(text: string): boolean {
  const double = Number(text)
  if (!Number.isFinite(double)) return false
  const written = decimalOf(text)
  const kept = decimalOf(String(double))
  return written?.digits === kept?.digits && written?.exponent === kept?.exponent
}
