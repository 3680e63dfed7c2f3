-- LoCal: counts of rows by cells of the score. It reads the table once and changes nothing.
-- Save the whole result as CSV or Parquet.
-- It contains cells of few rows, even of one.
-- The result may be large: see the notes beside this statement.
WITH source AS (
  SELECT CAST(`percent` AS FLOAT64) / 100 + 0 AS p0,
    CASE WHEN `outcome` = 'yes' THEN 1 WHEN NOT (`outcome` IS NULL) THEN 0 END AS y0,
    CASE WHEN `outcome` IS NULL THEN 1 ELSE 0 END AS y_missing,
    CAST(`w` AS FLOAT64) AS w0,
    COALESCE(CAST(`ward` AS STRING), '(missing)') AS group_1,
    COALESCE(CAST(`sex` AS STRING), '(missing)') AS group_2,
    EXTRACT(YEAR FROM CAST(`day` AS DATE)) * 100 + EXTRACT(MONTH FROM CAST(`day` AS DATE)) AS year_month,
    (CAST(`age` AS FLOAT64) - CAST(0 AS FLOAT64)) * 20 / (CAST(100 AS FLOAT64) - CAST(0 AS FLOAT64)) AS f1
  FROM `visits`
), checked AS (
  SELECT p0, y0, w0, group_1, group_2, year_month,
    CASE WHEN f1 - f1 = 0 THEN CASE WHEN f1 < 0 THEN 0 WHEN f1 >= 20 THEN 19 ELSE CAST(FLOOR(f1) AS INT64) END END AS feature_1,
    CASE WHEN p0 IS NULL THEN 'p_missing'
         WHEN p0 - p0 = 0 AND p0 >= -0.000001 AND p0 <= 1.000001 THEN
           CASE WHEN y_missing = 1 THEN 'y_missing'
             WHEN y0 IS NULL THEN 'y_other'
             WHEN w0 IS NULL OR NOT (w0 > 0 AND w0 - w0 = 0) THEN 'w_bad'
             ELSE 'ok' END
         WHEN p0 - p0 = 0 AND p0 < 0 THEN 'p_below_0'
         WHEN p0 - p0 = 0 THEN 'p_above_1'
         ELSE 'p_not_finite' END AS status
  FROM source
), used AS (
  SELECT group_1, group_2, year_month, feature_1, status,
    CASE WHEN status <> 'ok' THEN NULL WHEN p0 < 0 THEN 0 WHEN p0 > 1 THEN 1 ELSE p0 END AS p,
    CASE WHEN status = 'ok' THEN y0 END AS y,
    CASE WHEN status = 'ok' THEN w0 END AS w,
    CASE WHEN status = 'ok' THEN FLOOR(p0 * 240 + 0.5) END AS r
  FROM checked
), halves AS (
  SELECT group_1, group_2, year_month, feature_1, status, p, y, w,
    CASE WHEN y = 1 THEN p ELSE 1 - p END AS q,
    CAST(CASE WHEN p + CAST(1 AS FLOAT64) / 17592186044416 > r / 240 AND p - CAST(1 AS FLOAT64) / 17592186044416 < r / 240 THEN 2 * r
              WHEN p < r / 240 THEN 2 * r - 1
              ELSE 2 * r + 1 END AS INT64) AS h
  FROM used
), ends AS (
  SELECT group_1, group_2, year_month, feature_1, status, p, y, w, q, h,
    CASE WHEN h < 8 THEN p * 240 WHEN h > 472 THEN (1 - p) * 240 END AS v
  FROM halves
), levels AS (
  SELECT group_1, group_2, year_month, feature_1, status, p, y, w, q, h,
    CASE WHEN v IS NULL THEN NULL WHEN v = 0 THEN (-234)
             WHEN v * 4 >= 4 THEN CAST(FLOOR(v * 4) AS INT64) + (-8)
             WHEN v * 16 >= 4 THEN CAST(FLOOR(v * 16) AS INT64) + (-20)
             WHEN v * 64 >= 4 THEN CAST(FLOOR(v * 64) AS INT64) + (-32)
             WHEN v * 256 >= 4 THEN CAST(FLOOR(v * 256) AS INT64) + (-44)
             WHEN v * 1024 >= 4 THEN CAST(FLOOR(v * 1024) AS INT64) + (-56)
             WHEN v * 4096 >= 4 THEN CAST(FLOOR(v * 4096) AS INT64) + (-68)
             WHEN v * 16384 >= 4 THEN CAST(FLOOR(v * 16384) AS INT64) + (-80)
             WHEN v * 65536 >= 4 THEN CAST(FLOOR(v * 65536) AS INT64) + (-92)
             WHEN v * 262144 >= 4 THEN CAST(FLOOR(v * 262144) AS INT64) + (-104)
             WHEN v * 1048576 >= 4 THEN CAST(FLOOR(v * 1048576) AS INT64) + (-116)
             WHEN v * 4194304 >= 4 THEN CAST(FLOOR(v * 4194304) AS INT64) + (-128)
             WHEN v * 16777216 >= 4 THEN CAST(FLOOR(v * 16777216) AS INT64) + (-140)
             WHEN v * 67108864 >= 4 THEN CAST(FLOOR(v * 67108864) AS INT64) + (-152)
             WHEN v * 268435456 >= 4 THEN CAST(FLOOR(v * 268435456) AS INT64) + (-164)
             WHEN v * 1073741824 >= 4 THEN CAST(FLOOR(v * 1073741824) AS INT64) + (-176)
             WHEN v * 4294967296 >= 4 THEN CAST(FLOOR(v * 4294967296) AS INT64) + (-188)
             WHEN v * 17179869184 >= 4 THEN CAST(FLOOR(v * 17179869184) AS INT64) + (-200)
             WHEN v * 68719476736 >= 4 THEN CAST(FLOOR(v * 68719476736) AS INT64) + (-212)
             WHEN v * 274877906944 >= 4 THEN CAST(FLOOR(v * 274877906944) AS INT64) + (-224)
             WHEN v * 1099511627776 >= 4 THEN CAST(FLOOR(v * 1099511627776) AS INT64) + (-236)
             ELSE (-233) END AS t
  FROM ends
), cells AS (
  SELECT group_1, group_2, year_month, feature_1, status, p, y, w,
    CASE WHEN p < CAST(1 AS FLOAT64) / 17592186044416 THEN 0 ELSE p * p END AS pp,
    CASE WHEN p < CAST(1 AS FLOAT64) / 17592186044416 THEN 0 ELSE p END AS p1,
    -LN(CASE WHEN q < 1e-15 THEN 1e-15 ELSE q END) AS loss,
    CASE WHEN h < 8 THEN t WHEN h > 472 THEN 480 - t ELSE h END AS cell
  FROM levels
), counts AS (
  SELECT group_1, group_2, year_month, feature_1, status, cell,
    CAST(COUNT(*) AS INT64) AS n,
    SUM(CAST(y AS INT64)) AS sum_y,
    SUM(p) AS sum_p,
    SUM(pp) AS sum_pp,
    SUM(p * y) AS sum_py,
    SUM(pp * y) AS sum_ppy,
    SUM(loss) AS sum_loss,
    SUM(loss * y) AS sum_loss_y,
    SUM(w) AS sum_w,
    SUM(w * w) AS sum_ww,
    SUM(w * y) AS sum_wy,
    SUM(w * p1) AS sum_wp,
    SUM(w * pp) AS sum_wpp,
    SUM(w * p1 * y) AS sum_wpy,
    SUM(w * loss) AS sum_wloss,
    SUM(w * w * (y - p1) * (y - p1)) AS sum_wwrr,
    SUM(w * w * p1 * (1 - p1)) AS sum_wwv
  FROM cells GROUP BY group_1, group_2, year_month, feature_1, status, cell
), numbered AS (
  SELECT counts.*, ROW_NUMBER() OVER (ORDER BY group_1, group_2, year_month, feature_1, status, cell) AS line,
    SUM(n) OVER () AS all_rows, COUNT(*) OVER () AS all_cells
  FROM counts
)
SELECT CASE WHEN line = 1 THEN 'localcal-counts=1&dialect=bigquery&grid=240&table=visits&score=percent&percent=true&outcome=outcome&positive=yes&weight=w&month=day&by=ward&by=sex&feature=0%2C100%2C20%2Cage' END AS settings,
  CASE WHEN line = 1 THEN CAST(all_rows AS INT64) END AS total_rows,
  CASE WHEN line = 1 THEN CAST(all_cells AS INT64) END AS total_cells,
  group_1, group_2, year_month, feature_1, status, cell, n, sum_y, sum_p, sum_pp, sum_py, sum_ppy, sum_loss, sum_loss_y, sum_w, sum_ww, sum_wy, sum_wp, sum_wpp, sum_wpy, sum_wloss, sum_wwrr, sum_wwv
FROM numbered ORDER BY line
