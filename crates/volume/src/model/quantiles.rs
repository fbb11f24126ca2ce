//! Draws by inverting a distribution function: one 64-bit random number and, nearly always, one multiplication.

/// Pieces of the table; between their ends a quantile function is a straight line.
pub const PIECES: usize = 2048;
const PIECE_BITS: u32 = PIECES.trailing_zeros();
const FRACTION_BITS: u32 = 26;
/// Bits of a random number that a draw leaves over.
pub const SPARE_BITS: u32 = 64 - PIECE_BITS - FRACTION_BITS;

/// Where a random number lies in the table.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    piece: usize,
    fraction: f32,
}

impl Place {
    /// Of 64 random bits; the lowest [`SPARE_BITS`] are not used.
    #[inline]
    pub fn of(bits: u64) -> Self {
        let fraction = (bits >> SPARE_BITS) & ((1 << FRACTION_BITS) - 1);
        Self {
            piece: (bits >> (64 - PIECE_BITS)) as usize,
            fraction: fraction as f32 * (1.0 / (1u32 << FRACTION_BITS) as f32),
        }
    }

    /// As a number in the unit interval.
    #[inline]
    pub fn share(self) -> f64 {
        (self.piece as f64 + f64::from(self.fraction)) / PIECES as f64
    }

    /// In one of the two outermost pieces, where a quantile function is no straight line.
    #[inline]
    pub fn is_outermost(self) -> bool {
        self.piece == 0 || self.piece == PIECES - 1
    }
}

/// The ends of all pieces.
#[derive(Debug, Clone)]
pub struct Quantiles(Vec<f32>);

impl Quantiles {
    /// Of a quantile function, which is asked for 0 and 1 as well.
    pub fn new(quantile: impl Fn(f64) -> f64) -> Self {
        Self((0..=PIECES).map(|i| quantile(i as f64 / PIECES as f64) as f32).collect())
    }

    /// On the straight line of the place's piece.
    #[inline]
    pub fn at(&self, place: Place) -> f64 {
        let (low, high) = (self.0[place.piece], self.0[place.piece + 1]);
        f64::from(low + (high - low) * place.fraction)
    }
}
