package main

import (
	"math"
	"slices"
)

// directions are the ways in which vectors differ most.
type directions struct {
	mean   []float32
	axes   [][]float32 // unit vectors, the strongest first
	shrink []float32   // by which a component is divided: the fourth root of its variance
}

// principal finds the n strongest directions of vectors.
func principal(vectors [][]float32, n int) directions {
	size := len(vectors[0])
	d := directions{mean: make([]float32, size)}
	for _, v := range vectors {
		for j, x := range v {
			d.mean[j] += x / float32(len(vectors))
		}
	}
	values, axes := eigen(covariance(vectors, d.mean))
	order := make([]int, size)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if values[a] > values[b] {
			return -1
		}
		return 1
	})
	for _, i := range order[:n] {
		axis := make([]float32, size)
		for j := range axis {
			axis[j] = float32(axes[j][i])
		}
		d.axes = append(d.axes, axis)
		d.shrink = append(d.shrink, float32(math.Pow(values[i], .25)))
	}
	return d
}

// project gives the components of a vector, half whitened, at unit length.
func (d *directions) project(v []float32) []float32 {
	centred := make([]float32, len(v))
	for j := range v {
		centred[j] = v[j] - d.mean[j]
	}
	out := make([]float32, len(d.axes))
	for i, axis := range d.axes {
		out[i] = dot(centred, axis) / d.shrink[i]
	}
	return unit(out)
}

func covariance(vectors [][]float32, mean []float32) [][]float64 {
	c := make([][]float64, len(mean))
	for i := range c {
		c[i] = make([]float64, len(mean))
	}
	centred := make([]float64, len(mean))
	for _, v := range vectors {
		for i := range v {
			centred[i] = float64(v[i] - mean[i])
		}
		for i, a := range centred {
			row := c[i]
			for j := range i + 1 {
				row[j] += a * centred[j]
			}
		}
	}
	for i := range c {
		for j := range i + 1 {
			c[i][j] /= float64(len(vectors))
			c[j][i] = c[i][j]
		}
	}
	return c
}

// eigen finds the eigenvalues and eigenvectors (columns) of a symmetric matrix by Jacobi rotations.
// The matrix is used up.
func eigen(a [][]float64) (values []float64, vectors [][]float64) {
	n := len(a)
	vectors = make([][]float64, n)
	for i := range vectors {
		vectors[i] = make([]float64, n)
		vectors[i][i] = 1
	}
	for range 30 {
		off, diagonal := 0.0, 0.0
		for i := range n {
			diagonal += a[i][i] * a[i][i]
			for j := range i {
				off += a[i][j] * a[i][j]
			}
		}
		if off < 1e-18*diagonal {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(a, vectors, p, q)
			}
		}
	}
	for i := range n {
		values = append(values, a[i][i])
	}
	return values, vectors
}

// rotate makes the element at p, q vanish.
func rotate(a, vectors [][]float64, p, q int) {
	if a[p][q] == 0 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for k := range a {
		a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
	}
	for k := range a {
		a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
		vectors[k][p], vectors[k][q] = c*vectors[k][p]-s*vectors[k][q], s*vectors[k][p]+c*vectors[k][q]
	}
}
