package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// model is Universal Sentence Encoder lite: two transformer layers over word pieces.
type model struct {
	pieces     []piece
	index      map[string]int
	embeddings []float32 // piece × 256
	timing     []float32 // 128 frequencies
	dense      linear    // the residual of layer 0: 256 → 512
	layers     [2]layer
	head       linear
}

type piece struct {
	text  string
	score float64
}

type layer struct {
	norm1, norm2 norm
	qkv, out     linear
	up, down     linear
	width        int // of q, k and v each
}

type norm struct{ scale, bias []float32 }

// linear is y = x·w + b, with w stored input by input.
type linear struct {
	w, b    []float32
	in, out int
}

const (
	width   = 512 // of a vector
	heads   = 4
	longest = 128 // pieces of a text
)

// readModel reads the unpacked npm package.
func readModel(dir string) (*model, error) {
	tensors, err := readTensors(dir)
	if err != nil {
		return nil, err
	}
	m := &model{index: map[string]int{}}
	if err := m.readPieces(filepath.Join(dir, "vocab.json")); err != nil {
		return nil, err
	}
	get := func(suffix string) []float32 {
		for name, values := range tensors {
			if strings.HasSuffix(name, suffix) {
				return values
			}
		}
		err = fmt.Errorf("the model has no tensor %q", suffix)
		return nil
	}
	m.embeddings = get("/Embeddings_en")
	m.timing = get("TimingSignal/ExpandDims_1")
	m.dense = linear{get("Layer_0/TransformerLayer/dense/kernel/ConcatPartitions/concat"), get("Layer_0/TransformerLayer/dense/bias/ConcatPartitions/concat"), 256, width}
	m.head = linear{get("tanh_layer_0/weights"), get("tanh_layer_0/bias"), width, width}
	for i, in := range []int{256, width} {
		at := fmt.Sprintf("Layer_%d/TransformerLayer/", i)
		attention := at + "MultiheadAttention/"
		m.layers[i] = layer{
			width: in,
			norm1: norm{get(at + "layer_prepostprocess/layer_norm/layer_norm_scale/ConcatPartitions/concat"), get(at + "layer_prepostprocess/layer_norm/layer_norm_bias/ConcatPartitions/concat")},
			norm2: norm{get(at + "FFN/layer_prepostprocess/layer_norm/layer_norm_scale/ConcatPartitions/concat"), get(at + "FFN/layer_prepostprocess/layer_norm/layer_norm_bias/ConcatPartitions/concat")},
			qkv:   linear{get(attention + "qkv_transform_single/kernel/part_0"), get(attention + "qkv_transform_single/bias/ConcatPartitions/concat"), in, 3 * in},
			out:   linear{get(attention + "output_transform_single/kernel/part_0"), get(attention + "output_transform_single/bias/ConcatPartitions/concat"), in, width},
			up:    linear{get(at + "FFN/conv1/Tensordot/Reshape_1"), get(at + "FFN/conv1/bias/ConcatPartitions/concat"), width, 1536},
			down:  linear{get(at + "FFN/conv2/Tensordot/Reshape_1"), get(at + "FFN/conv2/bias/ConcatPartitions/concat"), 1536, width},
		}
	}
	return m, err
}

func (m *model) readPieces(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var rows [][2]any
	if err := json.Unmarshal(data, &rows); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	for i, row := range rows {
		text, _ := row[0].(string)
		score, _ := row[1].(float64)
		m.pieces = append(m.pieces, piece{text, score})
		m.index[text] = i
	}
	return nil
}

// readTensors reads the shards in the order of the manifest.
func readTensors(dir string) (map[string][]float32, error) {
	data, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct {
		WeightsManifest []struct {
			Paths   []string
			Weights []struct {
				Name  string
				Shape []int
			}
		}
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, fmt.Errorf("read model.json: %w", err)
	}
	tensors := map[string][]float32{}
	for _, group := range manifest.WeightsManifest {
		var raw []byte
		for _, path := range group.Paths {
			shard, err := os.ReadFile(filepath.Join(dir, path))
			if err != nil {
				return nil, err
			}
			raw = append(raw, shard...)
		}
		for _, w := range group.Weights {
			n := 1
			for _, size := range w.Shape {
				n *= size
			}
			if len(raw) < 4*n {
				return nil, fmt.Errorf("the shards end before tensor %s", w.Name)
			}
			values := make([]float32, n)
			for i := range values {
				values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
			}
			tensors[w.Name], raw = values, raw[4*n:]
		}
	}
	return tensors, nil
}

// tokens splits a text into the pieces of the highest total score (unigram language model).
func (m *model) tokens(text string) []int {
	runes := []rune("▁" + strings.ReplaceAll(text, " ", "▁"))
	type state struct {
		score float64
		from  int
		id    int
	}
	best := make([]state, len(runes)+1)
	for end := 1; end <= len(runes); end++ {
		best[end] = state{math.Inf(-1), end - 1, 0}
		for start := max(0, end-20); start < end; start++ {
			id, known := m.index[string(runes[start:end])]
			score := -20.0
			if known && id > 5 {
				score = m.pieces[id].score
			} else if id = 0; end-start > 1 {
				continue
			}
			if total := best[start].score + score; total > best[end].score {
				best[end] = state{total, start, id}
			}
		}
	}
	var ids []int
	for at := len(runes); at > 0; at = best[at].from {
		ids = append([]int{best[at].id}, ids...)
	}
	return ids[:min(len(ids), longest)]
}

// encode is the vector of a sequence of pieces, of unit length.
func (m *model) encode(ids []int) []float32 {
	x := make([][]float32, len(ids))
	for i, id := range ids {
		x[i] = make([]float32, 256)
		for j := range x[i] {
			x[i][j] = 2 * m.embeddings[id*256+j]
		}
		for j, frequency := range m.timing {
			sin, cos := math.Sincos(float64(i) * float64(frequency))
			x[i][j] += float32(sin)
			x[i][128+j] += float32(cos)
		}
	}
	residual := m.dense.each(x)
	x = m.layers[0].run(x, residual)
	x = m.layers[1].run(x, x)
	mean := make([]float32, width)
	for _, row := range x {
		for j, v := range row {
			mean[j] += v / float32(len(x))
		}
	}
	out := m.head.apply(mean)
	for j, v := range out {
		out[j] = float32(math.Tanh(float64(v)))
	}
	return unit(out)
}

func (l *layer) run(x, residual [][]float32) [][]float32 {
	qkv := l.qkv.each(l.norm1.each(x))
	size := l.width / heads
	scale := float32(1 / math.Sqrt(float64(size)))
	y := make([][]float32, len(x))
	for i := range x {
		mixed := make([]float32, l.width)
		for h := range heads {
			q := qkv[i][h*size : (h+1)*size]
			weights := make([]float32, len(x))
			for j := range x {
				weights[j] = scale * dot(q, qkv[j][l.width+h*size:l.width+(h+1)*size])
			}
			softmax(weights)
			for j, w := range weights {
				for k, v := range qkv[j][2*l.width+h*size : 2*l.width+(h+1)*size] {
					mixed[h*size+k] += w * v
				}
			}
		}
		y[i] = sum(l.out.apply(mixed), residual[i])
	}
	up := l.up.each(l.norm2.each(y))
	for i := range up {
		for j, v := range up[i] {
			up[i][j] = max(0, v)
		}
		y[i] = sum(l.down.apply(up[i]), y[i])
	}
	return y
}

func (l linear) apply(x []float32) []float32 {
	y := append([]float32(nil), l.b...)
	for i, v := range x {
		if v == 0 {
			continue
		}
		row := l.w[i*l.out : (i+1)*l.out]
		for j, w := range row {
			y[j] += v * w
		}
	}
	return y
}

func (l linear) each(x [][]float32) [][]float32 {
	y := make([][]float32, len(x))
	for i := range x {
		y[i] = l.apply(x[i])
	}
	return y
}

func (n norm) each(x [][]float32) [][]float32 {
	y := make([][]float32, len(x))
	for i, row := range x {
		var mean, variance float64
		for _, v := range row {
			mean += float64(v) / float64(len(row))
		}
		for _, v := range row {
			variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(row))
		}
		scale := 1 / math.Sqrt(variance+1e-6)
		y[i] = make([]float32, len(row))
		for j, v := range row {
			y[i][j] = float32((float64(v)-mean)*scale)*n.scale[j] + n.bias[j]
		}
	}
	return y
}

func softmax(x []float32) {
	top, total := x[0], float32(0)
	for _, v := range x {
		top = max(top, v)
	}
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v - top)))
		total += x[i]
	}
	for i := range x {
		x[i] /= total
	}
}

func dot(a, b []float32) (s float32) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func sum(a, b []float32) []float32 {
	for i, v := range b {
		a[i] += v
	}
	return a
}

func unit(x []float32) []float32 {
	if n := float32(math.Sqrt(float64(dot(x, x)))); n > 0 {
		for i := range x {
			x[i] /= n
		}
	}
	return x
}
