/* The logistic function and tanh, with the bits of ONNX Runtime: quotients of polynomials, whose
 * coefficients it has taken from Eigen. */

/* coefficients[0] x^(2 (count - 1)) + ... + coefficients[count - 1], given x^2. */
INLINE vf polynomial(const float *coefficients, int count, vf square) {
    vf p = vf_set1(coefficients[0]);
    UNROLL for (int i = 1; i < count; i++) p = vf_fused(p, square, vf_set1(coefficients[i]));
    return p;
}

/* 1 / (1 + exp(-x)) */
INLINE vf logistic(vf x) {
    static const float numerator[] = {4.37031012579801e-11f, 1.15627324459942e-07f,
                                      6.08574864600143e-05f, 8.51377133304701e-03f,
                                      2.48287947061529e-01f};
    static const float denominator[] = {6.10247389755681e-13f, 5.76102136993427e-09f,
                                        6.29106785017040e-06f, 1.70198817374094e-03f,
                                        1.16817656904453e-01f, 9.93151921023180e-01f};
    x = vf_min(vf_max(x, vf_set1(-18.0f)), vf_set1(18.0f));
    const vf square = vf_mul(x, x), above = vf_mul(polynomial(numerator, 5, square), x);
    const vf v = vf_add(vf_div(above, polynomial(denominator, 6, square)), vf_set1(0.5f));
    return vf_min(vf_max(v, vf_set1(0.0f)), vf_set1(1.0f));
}

INLINE vf hyperbolic_tangent(vf x) {
    static const float numerator[] = {-2.76076847742355e-16f, 2.00018790482477e-13f,
                                      -8.60467152213735e-11f, 5.12229709037114e-08f,
                                      1.48572235717979e-05f,  6.37261928875436e-04f,
                                      4.89352455891786e-03f};
    static const float denominator[] = {1.19825839466702e-06f, 1.18534705686654e-04f,
                                        2.26843463243900e-03f, 4.89352518554385e-03f};
    x = vf_min(vf_max(x, vf_set1(-9.0f)), vf_set1(9.0f));
    const vf square = vf_mul(x, x), above = vf_mul(polynomial(numerator, 7, square), x);
    return vf_div(above, polynomial(denominator, 4, square));
}
