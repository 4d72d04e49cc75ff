package puzzle

import "slices"

// stages are the functions that programs are made of. good and bad do the same as the Go code in right and wrong.
var stages = []stage{
	{"Unique", "keeps the first of equal numbers and drops the later ones.",
		"var out []int\nfor _, x := range in {\n\tif !slices.Contains(out, x) {\n\t\tout = append(out, x)\n\t}\n}\nreturn out",
		"var out []int\nfor i, x := range in {\n\tif i == 0 || in[i-1] != x {\n\t\tout = append(out, x)\n\t}\n}\nreturn out",
		func(in []int, _ int) (out []int) {
			for _, x := range in {
				if !slices.Contains(out, x) {
					out = append(out, x)
				}
			}
			return out
		},
		func(in []int, _ int) []int { return slices.Compact(in) }},
	{"Clamp", "makes numbers below -%d be -%d and numbers above %d0 be %d0.",
		"for i, x := range in {\n\tin[i] = min(max(x, -%d), %d0)\n}\nreturn in",
		"for i, x := range in {\n\tin[i] = max(min(x, -%d), %d0)\n}\nreturn in",
		func(in []int, n int) []int { return each(in, func(x int) int { return min(max(x, -n), 10*n) }) },
		func(in []int, n int) []int { return each(in, func(x int) int { return max(min(x, -n), 10*n) }) }},
	{"Sums", "replaces each number by the sum of all up to and including it.",
		"sum := 0\nfor i, x := range in {\n\tsum += x\n\tin[i] = sum\n}\nreturn in",
		"sum := 0\nfor i, x := range in {\n\tin[i] = sum\n\tsum += x\n}\nreturn in",
		func(in []int, _ int) []int { sum := 0; return each(in, func(x int) int { sum += x; return sum }) },
		func(in []int, _ int) []int { sum := 0; return each(in, func(x int) int { sum += x; return sum - x }) }},
	{"Rotate", "moves the first %d numbers to the end, in the same order.",
		"k := min(%d, len(in))\nreturn append(in[k:], in[:k]...)",
		"k := len(in) - min(%d, len(in))\nreturn append(in[k:], in[:k]...)",
		func(in []int, n int) []int { k := min(n, len(in)); return slices.Concat(in[k:], in[:k]) },
		func(in []int, n int) []int { k := len(in) - min(n, len(in)); return slices.Concat(in[k:], in[:k]) }},
	{"Scale", "multiplies every number by %d.",
		"for i := range in {\n\tin[i] *= %d\n}\nreturn in",
		"for i := range in[:max(0, len(in)-1)] {\n\tin[i] *= %d\n}\nreturn in",
		func(in []int, n int) []int { return each(in, func(x int) int { return x * n }) },
		func(in []int, n int) []int {
			for i := range in[:max(0, len(in)-1)] {
				in[i] *= n
			}
			return in
		}},
	{"Steps", "replaces each number but the first by its difference to the one before it.",
		"for i := len(in) - 1; i > 0; i-- {\n\tin[i] -= in[i-1]\n}\nreturn in",
		"for i := 1; i < len(in); i++ {\n\tin[i] -= in[i-1]\n}\nreturn in",
		func(in []int, _ int) []int {
			for i := len(in) - 1; i > 0; i-- {
				in[i] -= in[i-1]
			}
			return in
		},
		func(in []int, _ int) []int {
			for i := 1; i < len(in); i++ {
				in[i] -= in[i-1]
			}
			return in
		}},
	{"Largest", "sorts the numbers, the largest first, and keeps at most %d of them and one more.",
		"slices.Sort(in)\nslices.Reverse(in)\nreturn in[:min(%d+1, len(in))]",
		"slices.Sort(in)\nin = in[:min(%d+1, len(in))]\nslices.Reverse(in)\nreturn in",
		func(in []int, n int) []int { slices.Sort(in); slices.Reverse(in); return in[:min(n+1, len(in))] },
		func(in []int, n int) []int {
			slices.Sort(in)
			in = in[:min(n+1, len(in))]
			slices.Reverse(in)
			return in
		}},
	{"Shift", "adds to every number its position, counted from 0.",
		"for i := range in {\n\tin[i] += i\n}\nreturn in",
		"for i := range in {\n\tin[i] += i + 1\n}\nreturn in",
		func(in []int, _ int) []int { i := -1; return each(in, func(x int) int { i++; return x + i }) },
		func(in []int, _ int) []int { i := 0; return each(in, func(x int) int { i++; return x + i }) }},
	{"Fold", "makes negative numbers positive.",
		"for i, x := range in {\n\tif x < 0 {\n\t\tin[i] = -x\n\t}\n}\nreturn in",
		"for i, x := range in {\n\tif x < -1 {\n\t\tin[i] = -x - 1\n\t}\n}\nreturn in",
		func(in []int, _ int) []int { return each(in, func(x int) int { return max(x, -x) }) },
		func(in []int, _ int) []int {
			return each(in, func(x int) int {
				if x < -1 {
					return -x - 1
				}
				return x
			})
		}},
	{"Rest", "replaces every number by its remainder when divided by %d, which is never negative.",
		"for i, x := range in {\n\tin[i] = (x%%d + %d) % %d\n}\nreturn in",
		"for i, x := range in {\n\tin[i] = x % %d\n}\nreturn in",
		func(in []int, n int) []int { return each(in, func(x int) int { return (x%n + n) % n }) },
		func(in []int, n int) []int { return each(in, func(x int) int { return x % n }) }},
}

func each(in []int, f func(int) int) []int {
	for i, x := range in {
		in[i] = f(x)
	}
	return in
}
