fn total(prices: &[f64]) -> f64 {
    let mut sum = 0.0;
    for price in prices {
        sum += price;
    }
    sum
}

fn main() {
    let prices = [12.5, 8.0, 3.25];
    // TODO: take the tax rate from the settings
    println!("sum {}", total(&prices));
    println!("tax {}", total(&prices) * 0.19);
}
